// The binary tree over all floating-point numbers (sign, exponent, then the digits of the fraction) in which
// neighbouring scores are joined.
#pragma once

#include <cstddef>

namespace unconfuse {

// For each two neighbours of so many scores (ascending, distinct) the weight of all scores under the smallest node of
// the tree that holds both: n - 1 numbers.
void node_weights(const double* score, const double* weight, std::size_t n, double* held);

}  // namespace unconfuse
