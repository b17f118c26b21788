// The border between Python and C++: checks every argument, releases the GIL, copies results.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "rule_sets.hpp"
#include "search.hpp"
#include "sums.hpp"

namespace nb = nanobind;
using namespace faircg;

namespace {

template <class T, std::size_t Axes>
using In = nb::ndarray<const T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values,
                                   std::initializer_list<std::size_t> shape) {
    auto *owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

nb::ndarray<nb::numpy, Word> cover_rules(In<Word, 2> bits, In<std::int32_t, 1> conditions,
                                         In<std::int64_t, 1> starts) {
    const BitsView view{bits.data(), bits.shape(0), bits.shape(1), bits.shape(1) * 64};
    if (starts.shape(0) < 1 || starts.data()[0] != 0 ||
        starts.data()[starts.shape(0) - 1] != static_cast<std::int64_t>(conditions.shape(0)))
        throw std::invalid_argument("starts must run from 0 to the number of conditions");
    const std::size_t rules = starts.shape(0) - 1;
    for (std::size_t k = 0; k < rules; ++k)
        if (starts.data()[k] >= starts.data()[k + 1])
            throw std::invalid_argument("a rule needs at least one condition");
    for (std::size_t i = 0; i < conditions.shape(0); ++i)
        if (conditions.data()[i] < 0 ||
            static_cast<std::size_t>(conditions.data()[i]) >= view.conditions)
            throw std::invalid_argument("a condition does not exist");
    std::vector<Word> covered(rules * view.words);
    {
        nb::gil_scoped_release release;
        for (std::size_t k = 0; k < rules; ++k)
            cover(view, conditions.data() + starts.data()[k],
                  conditions.data() + starts.data()[k + 1], covered.data() + k * view.words);
    }
    return to_numpy(std::move(covered), {rules, view.words});
}

nb::ndarray<nb::numpy, double> weigh_rules(In<Word, 2> packed, In<double, 2> weights) {
    const std::size_t rules = packed.shape(0), rows = weights.shape(0), columns = weights.shape(1);
    if (packed.shape(1) != words_for(rows))
        throw std::invalid_argument("the words per rule do not hold the rows of the weights");
    std::vector<double> sums(rules * columns);
    {
        nb::gil_scoped_release release;
        // One column after the other, with zeros for the rows beyond the last one.
        std::vector<double> column(64 * packed.shape(1));
        const auto weigh = instructions().weigh;
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t i = 0; i < rows; ++i)
                column[i] = weights.data()[i * columns + c];
            for (std::size_t k = 0; k < rules; ++k)
                sums[k * columns + c] =
                    weigh(packed.data() + k * packed.shape(1), packed.shape(1), column.data());
        }
    }
    return to_numpy(std::move(sums), {rules, columns});
}

using Stop = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char *otherwise) {
    if (!holds)
        throw std::invalid_argument(otherwise);
}

bool poll_signals() {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0; // the exception waits in this thread's state
}

// Everything both searches need, checked.
Pricing checked(const In<Word, 2> &bits, std::int64_t n_rows, const In<std::int32_t, 1> &family,
                const In<double, 1> &prices, double condition_price, std::int64_t max_conditions,
                double cutoff, std::int64_t threads, double seconds,
                const std::optional<Stop> &stop) {
    require(n_rows >= 1, "n_rows must be at least 1");
    const auto rows = static_cast<std::size_t>(n_rows);
    require(bits.shape(1) == words_for(rows), "bits must have one bit per row");
    require(bits.shape(0) < (std::size_t{1} << 31), "there are too many conditions");
    if (rows % 64)
        for (std::size_t j = 0; j < bits.shape(0); ++j)
            require((bits.data()[(j + 1) * bits.shape(1) - 1] >> (rows % 64)) == 0,
                    "bits beyond the last row must be zero");
    require(family.shape(0) == bits.shape(0), "family must have one number per condition");
    require(prices.shape(0) == rows, "prices must have one number per row");
    double total = 0;
    for (std::size_t i = 0; i < rows; ++i)
        total += std::abs(prices.data()[i]);
    require(std::isfinite(total), "prices and their sum must be finite");
    require(condition_price >= 0 && std::isfinite(condition_price),
            "condition_price must be finite and not negative");
    require(max_conditions >= 1, "max_conditions must be at least 1");
    require(threads >= 1, "threads must be at least 1");
    require(!std::isnan(cutoff), "cutoff must be a number");
    require(!std::isnan(seconds), "seconds must be a number");
    require(!stop || stop->shape(0) == 1, "stop must be one byte");
    return {{bits.data(), bits.shape(0), bits.shape(1), rows},
            family.data(),
            prices.data(),
            condition_price,
            static_cast<std::size_t>(max_conditions),
            cutoff,
            static_cast<std::size_t>(std::min<std::int64_t>(threads, 256)),
            seconds,
            stop ? stop->data() : nullptr,
            poll_signals};
}

template <class Result, class Search> Result without_gil(Search search) {
    std::optional<Result> result;
    {
        nb::gil_scoped_release release;
        result.emplace(search());
    }
    if (PyErr_Occurred()) // Ctrl-C, or what a signal handler raised
        throw nb::python_error();
    return std::move(*result);
}

using Conditions = nb::ndarray<nb::numpy, std::int32_t>;
using Starts = nb::ndarray<nb::numpy, std::int64_t>;

Conditions conditions_of(RuleList &rules) {
    const std::size_t size = rules.conditions.size();
    return to_numpy(std::move(rules.conditions), {size});
}

Starts starts_of(RuleList &rules) {
    const std::size_t size = rules.starts.size();
    return to_numpy(std::move(rules.starts), {size});
}

std::tuple<Conditions, Starts, bool, double, std::uint64_t>
search_rules(In<Word, 2> bits, std::int64_t n_rows, In<std::int32_t, 1> family,
             In<double, 1> prices, double condition_price, std::int64_t max_conditions,
             double cutoff, std::int64_t keep, std::int64_t threads, double seconds,
             std::optional<Stop> stop) {
    const Pricing pricing = checked(bits, n_rows, family, prices, condition_price, max_conditions,
                                    cutoff, threads, seconds, stop);
    if (cutoff > 0)
        throw std::invalid_argument("cutoff must not be positive");
    if (keep < 0)
        throw std::invalid_argument("keep must not be negative");
    Best best = without_gil<Best>([&] { return search(pricing, static_cast<std::size_t>(keep)); });
    return {conditions_of(best.rules), starts_of(best.rules), best.is_complete, best.bound,
            best.nodes};
}

std::tuple<Conditions, Starts, bool, bool>
enumerate_rules(In<Word, 2> bits, std::int64_t n_rows, In<std::int32_t, 1> family,
                In<double, 1> prices, double condition_price, std::int64_t max_conditions,
                double cutoff, std::int64_t most, std::int64_t threads, double seconds,
                std::optional<Stop> stop) {
    const Pricing pricing = checked(bits, n_rows, family, prices, condition_price, max_conditions,
                                    cutoff, threads, seconds, stop);
    if (most < 0)
        throw std::invalid_argument("most must not be negative");
    All all =
        without_gil<All>([&] { return enumerate_below(pricing, static_cast<std::size_t>(most)); });
    return {conditions_of(all.rules), starts_of(all.rules), all.is_complete, all.too_many};
}

std::tuple<Conditions, Starts, bool, bool, std::uint64_t>
list_rule_sets(In<Word, 2> covers, In<double, 1> costs, In<std::int64_t, 1> complexities,
               In<double, 1> again, In<double, 1> missed, std::int64_t max_complexity,
               double spare_price, double limit, std::int64_t most, std::int64_t threads,
               double seconds, std::optional<Stop> stop) {
    const std::size_t rules = covers.shape(0), cells = again.shape(0);
    require(covers.shape(1) == words_for(cells), "covers must have one bit per cell");
    require(rules < (std::size_t{1} << 31), "there are too many rules");
    if (cells % 64)
        for (std::size_t k = 0; k < rules; ++k)
            require((covers.data()[(k + 1) * covers.shape(1) - 1] >> (cells % 64)) == 0,
                    "covers must be zero beyond the last cell");
    require(costs.shape(0) == rules, "costs must have one number per rule");
    require(complexities.shape(0) == rules, "complexities must have one number per rule");
    require(missed.shape(0) == cells, "missed must have one number per cell");
    double total = 0, all_again = 0;
    for (std::size_t k = 0; k < rules; ++k) {
        require(costs.data()[k] >= 0, "costs must not be negative");
        require(complexities.data()[k] >= 1, "complexities must be at least 1");
        total += costs.data()[k];
    }
    for (std::size_t i = 0; i < cells; ++i) {
        require(again.data()[i] >= 0, "again must not be negative");
        require(missed.data()[i] >= 0, "missed must not be negative");
        total += missed.data()[i];
        all_again += again.data()[i];
    }
    require(max_complexity >= 0 && max_complexity <= most_complexity,
            "max_complexity must be from 0 to 2^20");
    require(spare_price >= 0, "spare_price must not be negative");
    total += all_again * static_cast<double>(std::max<std::size_t>(1, rules)) +
             spare_price * static_cast<double>(max_complexity);
    require(total <= largest_price, "prices are too large to be summed");
    require(!std::isnan(limit), "limit must be a number");
    require(most >= 0, "most must not be negative");
    require(threads >= 1, "threads must be at least 1");
    require(!std::isnan(seconds), "seconds must be a number");
    require(!stop || stop->shape(0) == 1, "stop must be one byte");
    const SetProblem problem{{covers.data(), rules, covers.shape(1), cells},
                             costs.data(),
                             complexities.data(),
                             again.data(),
                             missed.data(),
                             max_complexity,
                             spare_price,
                             limit,
                             static_cast<std::size_t>(std::min<std::int64_t>(threads, 256)),
                             seconds,
                             stop ? stop->data() : nullptr,
                             poll_signals};
    AllSets all = without_gil<AllSets>(
        [&] { return rule_sets_below(problem, static_cast<std::size_t>(most)); });
    return {conditions_of(all.sets), starts_of(all.sets), all.is_complete, all.too_many, all.nodes};
}

} // namespace

NB_MODULE(_native, m) {
    m.doc() = "The compiled kernel; call it through the functions of faircg._kernel.";
    m.def("available_instructions", [] {
        nb::list names;
        for (const Instructions *available : available_instructions())
            names.append(available->name);
        return names;
    });
    m.def("use_instructions", [](const std::string &name) {
        for (const Instructions *available : available_instructions())
            if (name == available->name)
                return use_instructions(*available);
        throw std::invalid_argument("this machine has no such instructions: " + name);
    });
    m.def("search", &search_rules, nb::arg("bits").noconvert(), nb::arg("n_rows"),
          nb::arg("family").noconvert(), nb::arg("prices").noconvert(), nb::arg("condition_price"),
          nb::arg("max_conditions"), nb::arg("cutoff"), nb::arg("keep"), nb::arg("threads"),
          nb::arg("seconds"), nb::arg("stop").noconvert().none());
    m.def("enumerate_below", &enumerate_rules, nb::arg("bits").noconvert(), nb::arg("n_rows"),
          nb::arg("family").noconvert(), nb::arg("prices").noconvert(), nb::arg("condition_price"),
          nb::arg("max_conditions"), nb::arg("cutoff"), nb::arg("most"), nb::arg("threads"),
          nb::arg("seconds"), nb::arg("stop").noconvert().none());
    m.def("rule_sets_below", &list_rule_sets, nb::arg("covers").noconvert(),
          nb::arg("costs").noconvert(), nb::arg("complexities").noconvert(),
          nb::arg("again").noconvert(), nb::arg("missed").noconvert(), nb::arg("max_complexity"),
          nb::arg("spare_price"), nb::arg("limit"), nb::arg("most"), nb::arg("threads"),
          nb::arg("seconds"), nb::arg("stop").noconvert().none());
    m.def("cover", &cover_rules, nb::arg("bits").noconvert(), nb::arg("conditions").noconvert(),
          nb::arg("starts").noconvert());
    m.def("weigh", &weigh_rules, nb::arg("packed").noconvert(), nb::arg("weights").noconvert());
}
