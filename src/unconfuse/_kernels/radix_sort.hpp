// Sorting weighted rows by key: a radix sort, least significant digit first, so that ties cost nothing extra.
#pragma once

#include <cstddef>

#include "collapse.hpp"

namespace unconfuse {

// Sorts `rows` by key, using `scratch` of the same size. Returns whichever of the two arrays holds the sorted rows.
WeightedRow* radix_sort(WeightedRow* rows, WeightedRow* scratch, std::size_t n);

}  // namespace unconfuse
