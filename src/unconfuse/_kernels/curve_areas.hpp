// Areas under curves that only whole tables are asked for (the bootstrap's own metrics are in ranks.hpp). NaN where a
// class is empty.
#pragma once

#include <cstddef>

#include "ranks.hpp"

namespace unconfuse {

// Straight lines through the precision-recall points, from (0, 1) on.
double trapezoid_area(const Blocks& blocks);

// The area under the precision-recall-gain curve where the recall gain is 0 or more.
double gain_area(const Blocks& blocks);

// The area under the ROC curve up to a false positive rate, linear within a tie block.
double partial_area(const Blocks& blocks, double max_fpr);

// Precision at `nodes` within each block (0 is its start, 1 its end), averaged with `weights` and over the positives.
double mean_precision(const Blocks& blocks, const double* nodes, const double* weights, std::size_t n_nodes);

}  // namespace unconfuse
