// The border between Python and C++: checks every argument, releases the GIL, copies results.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bits.hpp"

namespace nb = nanobind;
using namespace faircg;

namespace {

template <class T, std::size_t Axes>
using In = nb::ndarray<const T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
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
        for (std::size_t k = 0; k < rules; ++k)
            weigh(packed.data() + k * packed.shape(1), rows, weights.data(), columns,
                  sums.data() + k * columns);
    }
    return to_numpy(std::move(sums), {rules, columns});
}

} // namespace

NB_MODULE(_native, m) {
    m.doc() = "The compiled kernel; call it through the functions of faircg._kernel.";
    m.def("cover", &cover_rules, nb::arg("bits").noconvert(), nb::arg("conditions").noconvert(),
          nb::arg("starts").noconvert());
    m.def("weigh", &weigh_rules, nb::arg("packed").noconvert(), nb::arg("weights").noconvert());
}
