// The border between Python and C++: checks every argument, releases the GIL, copies results.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
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

template <class T> nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
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

nb::ndarray<nb::numpy, Word> take_rows(In<Word, 2> packed, In<std::int64_t, 1> rows) {
    const std::size_t rules = packed.shape(0), words = packed.shape(1), n_rows = rows.shape(0);
    for (std::size_t i = 0; i < n_rows; ++i)
        if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= 64 * words)
            throw std::invalid_argument("a row does not exist");
    std::vector<Word> taken(rules * words_for(n_rows));
    {
        nb::gil_scoped_release release;
        std::vector<std::size_t> places(64 * words_for(n_rows), no_row);
        std::copy_n(rows.data(), n_rows, places.begin());
        const BitsView view{packed.data(), rules, words, 64 * words};
        RowTaker taker;
        for (std::size_t first = 0; first < rules; first += 64)
            taker.take(view, first, places, taken.data() + first * words_for(n_rows));
    }
    return to_numpy(std::move(taken), {rules, words_for(n_rows)});
}

nb::ndarray<nb::numpy, Word> words_of_rows(In<Word, 2> packed) {
    const std::size_t rules = packed.shape(0), words = packed.shape(1);
    if (rules > 64)
        throw std::invalid_argument("a word has room for 64 rules");
    std::vector<Word> by_row(64 * words);
    {
        nb::gil_scoped_release release;
        row_words({packed.data(), rules, words, 64 * words}, 0, true, by_row.data());
    }
    return to_numpy(std::move(by_row), {64 * words});
}

void require(bool holds, const char *otherwise) {
    if (!holds)
        throw std::invalid_argument(otherwise);
}

std::size_t checked_size(std::int64_t value, const char *otherwise) {
    require(value >= 0, otherwise);
    return static_cast<std::size_t>(value);
}

// Packed bits, one column per row of the view, with zeros beyond the last one.
BitsView checked_bits(const BitsView &view) {
    require(view.conditions < (std::size_t{1} << 31), "there are too many rows of bits");
    require(view.words == words_for(view.rows), "there must be one bit per row or cell");
    if (view.rows % 64)
        for (std::size_t j = 0; j < view.conditions; ++j)
            require((view[j][view.words - 1] >> (view.rows % 64)) == 0,
                    "bits beyond the last row or cell must be zero");
    return view;
}

BitsView checked_bits(const In<Word, 2> &bits, std::size_t rows) {
    return checked_bits({bits.data(), bits.shape(0), bits.shape(1), rows});
}

// Sum of the numbers, none of them negative.
double checked_sum(const In<double, 1> &values, std::size_t size, const char *otherwise) {
    require(values.shape(0) == size, otherwise);
    double total = 0;
    for (std::size_t i = 0; i < size; ++i) {
        require(values.data()[i] >= 0, otherwise);
        total += values.data()[i];
    }
    return total;
}

// Conditions and prices, kept alive and checked.
struct PricedBitsArrays {
    In<Word, 2> bits;
    In<std::int32_t, 1> family;
    In<double, 1> prices;
    PricedBits priced;

    PricedBitsArrays(In<Word, 2> bits_, std::int64_t n_rows, In<std::int32_t, 1> family_,
                     In<double, 1> prices_, double condition_price, std::int64_t max_conditions)
        : bits(bits_), family(family_), prices(prices_) {
        require(n_rows >= 1, "n_rows must be at least 1");
        const auto rows = static_cast<std::size_t>(n_rows);
        require(family.shape(0) == bits.shape(0), "family must have one number per condition");
        require(prices.shape(0) == rows, "prices must have one number per row");
        double total = 0;
        for (std::size_t i = 0; i < rows; ++i)
            total += std::abs(prices.data()[i]);
        require(std::isfinite(total), "prices and their sum must be finite");
        require(condition_price >= 0 && std::isfinite(condition_price),
                "condition_price must be finite and not negative");
        require(max_conditions >= 1, "max_conditions must be at least 1");
        priced = {checked_bits(bits, rows), family.data(), prices.data(), condition_price,
                  static_cast<std::size_t>(max_conditions)};
    }
};

// The arrays of a search for rule sets, kept alive and checked.
struct RuleSetArrays {
    In<Word, 2> covers;
    In<double, 1> costs;
    In<std::int64_t, 1> complexities;
    In<double, 1> again, missed;
    In<Word, 2> touches;
    In<Word, 1> marked;
    In<double, 1> linked;
    RuleSetProblem problem;

    RuleSetArrays(In<Word, 2> covers_, In<double, 1> costs_, In<std::int64_t, 1> complexities_,
                  In<double, 1> again_, In<double, 1> missed_, std::int64_t max_complexity,
                  double spare_price, In<Word, 2> touches_, In<Word, 1> marked_,
                  In<double, 1> linked_)
        : covers(covers_), costs(costs_), complexities(complexities_), again(again_),
          missed(missed_), touches(touches_), marked(marked_), linked(linked_) {
        const std::size_t rules = covers.shape(0), cells = again.shape(0);
        require(complexities.shape(0) == rules, "complexities must have one number per rule");
        for (std::size_t k = 0; k < rules; ++k)
            require(complexities.data()[k] >= 1, "complexities must be at least 1");
        require(max_complexity >= 0 && max_complexity <= most_complexity,
                "max_complexity must be from 0 to 2^20");
        require(spare_price >= 0, "spare_price must not be negative");
        const double total =
            checked_sum(costs, rules, "costs must be one number per rule, not negative") +
            checked_sum(missed, cells, "missed must be one number per cell, not negative") +
            checked_sum(again, cells, "again must not be negative") *
                static_cast<double>(rules + 1) +
            (spare_price +
             checked_sum(linked, cells, "linked must be one number per cell, not negative")) *
                static_cast<double>(max_complexity);
        require(total <= largest_price, "prices are too large to be summed");
        checked_bits({marked.data(), 1, marked.shape(0), cells});
        problem = {checked_bits(covers, cells),
                   costs.data(),
                   complexities.data(),
                   again.data(),
                   missed.data(),
                   max_complexity,
                   spare_price,
                   checked_bits(touches, cells),
                   marked.data(),
                   linked.data()};
        require(problem.touches.conditions == rules, "touches must have one row per rule");
        for (std::size_t w = 0; w < rules * problem.covers.words; ++w)
            require((covers.data()[w] & touches.data()[w]) == 0,
                    "no rule touches a cell that it covers");
    }
};

bool poll_signals() {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0; // the exception waits in this thread's state
}

void make_limits(Limits *limits, std::int64_t threads, double seconds, const StopFlag *stop,
                 std::int64_t most_words) {
    require(threads >= 1, "threads must be at least 1");
    require(!std::isnan(seconds), "seconds must be a number");
    require(most_words < 0 || threads == 1, "words are counted on one thread");
    new (limits) Limits{static_cast<std::size_t>(std::min<std::int64_t>(threads, 256)), seconds,
                        stop, most_words, poll_signals};
}

template <class Search> auto without_gil(Search search) {
    std::optional<decltype(search())> result;
    {
        nb::gil_scoped_release release;
        result.emplace(search());
    }
    if (PyErr_Occurred()) // Ctrl-C, or what a signal handler raised
        throw nb::python_error();
    return std::move(*result);
}

nb::tuple search_rules(const PricedBitsArrays &arrays, double cutoff, std::int64_t keep,
                       const Limits &limits) {
    require(cutoff <= 0, "cutoff must be a number, not positive");
    const std::size_t most = checked_size(keep, "keep must not be negative");
    Best best = without_gil([&] { return search(arrays.priced, cutoff, most, limits); });
    return nb::make_tuple(to_numpy(std::move(best.rules.numbers)),
                          to_numpy(std::move(best.rules.starts)), best.is_complete, best.bound,
                          best.nodes);
}

// What both enumerations check and return.
template <class List> nb::tuple list_all(double limit, std::int64_t most, List list) {
    require(!std::isnan(limit), "cutoff and limit must be numbers");
    const std::size_t size = checked_size(most, "most must not be negative");
    Listing all = without_gil([&] { return list(size); });
    return nb::make_tuple(to_numpy(std::move(all.lists.numbers)),
                          to_numpy(std::move(all.lists.starts)), all.is_complete, all.too_many,
                          all.nodes);
}

nb::tuple list_rules(const PricedBitsArrays &arrays, double cutoff, std::int64_t most,
                     const Limits &limits) {
    return list_all(cutoff, most, [&](std::size_t size) {
        return enumerate_below(arrays.priced, cutoff, size, limits);
    });
}

nb::tuple list_rule_sets(const RuleSetArrays &arrays, double limit, std::int64_t most,
                         const Limits &limits) {
    return list_all(limit, most, [&](std::size_t size) {
        return rule_sets_below(arrays.problem, limit, size, limits);
    });
}

} // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false); // a process may end without collecting its garbage
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
    nb::class_<StopFlag>(m, "StopFlag").def(nb::init<>()).def("set", [](StopFlag &flag) {
        flag.is_set.store(true, std::memory_order_relaxed);
    });
    nb::class_<Limits>(m, "Limits")
        .def("__init__", &make_limits, nb::arg("threads"), nb::arg("seconds"),
             nb::arg("stop").none(), nb::arg("most_words"), nb::keep_alive<1, 4>())
        .def_ro("words", &Limits::words);
    nb::class_<PricedBitsArrays>(m, "PricedBits")
        .def(nb::init<In<Word, 2>, std::int64_t, In<std::int32_t, 1>, In<double, 1>, double,
                      std::int64_t>(),
             nb::arg("bits").noconvert(), nb::arg("n_rows"), nb::arg("family").noconvert(),
             nb::arg("prices").noconvert(), nb::arg("condition_price"), nb::arg("max_conditions"));
    nb::class_<RuleSetArrays>(m, "RuleSetProblem")
        .def(nb::init<In<Word, 2>, In<double, 1>, In<std::int64_t, 1>, In<double, 1>, In<double, 1>,
                      std::int64_t, double, In<Word, 2>, In<Word, 1>, In<double, 1>>(),
             nb::arg("covers").noconvert(), nb::arg("costs").noconvert(),
             nb::arg("complexities").noconvert(), nb::arg("again").noconvert(),
             nb::arg("missed").noconvert(), nb::arg("max_complexity"), nb::arg("spare_price"),
             nb::arg("touches").noconvert(), nb::arg("marked").noconvert(),
             nb::arg("linked").noconvert());
    m.def("search", &search_rules, nb::arg("priced"), nb::arg("cutoff"), nb::arg("keep"),
          nb::arg("limits"));
    m.def("enumerate_below", &list_rules, nb::arg("priced"), nb::arg("cutoff"), nb::arg("most"),
          nb::arg("limits"));
    m.def("rule_sets_below", &list_rule_sets, nb::arg("problem"), nb::arg("limit"), nb::arg("most"),
          nb::arg("limits"));
    m.def("cover", &cover_rules, nb::arg("bits").noconvert(), nb::arg("conditions").noconvert(),
          nb::arg("starts").noconvert());
    m.def("weigh", &weigh_rules, nb::arg("packed").noconvert(), nb::arg("weights").noconvert());
    m.def("row_words", &words_of_rows, nb::arg("packed").noconvert());
    m.def("take", &take_rows, nb::arg("packed").noconvert(), nb::arg("rows").noconvert());
}
