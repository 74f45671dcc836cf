// What the bindings share: the types of arrays, and how wrong ones are refused.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ranks.hpp"

namespace unconfuse {

namespace nb = nanobind;

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = In<double>;
using Flags = In<bool>;
using Integers = In<std::int64_t>;
using FloatsOut = Out<double>;
using IntegersOut = Out<std::int64_t>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MatrixOut = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatsOut3 = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

inline Blocks blocks_in(const Floats& positives, const Floats& negatives) {
    require(positives.size() == negatives.size(), "columns of a table differ in length");
    return {positives.data(), negatives.data(), positives.size()};
}

using Counts = nb::ndarray<const std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

inline CountedBlocks counted(const Counts& counts) {
    return {reinterpret_cast<const CaseCounts*>(counts.data()), counts.shape(0)};
}

// Functions of whole tables that the bootstrap's kernels do not need.
void bind_scans(nb::module_& m);

}  // namespace unconfuse
