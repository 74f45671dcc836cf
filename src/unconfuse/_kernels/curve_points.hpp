// The points of the ROC and precision-recall curves: running sums of a score table, written once.
#pragma once

#include <cstddef>

#include "ranks.hpp"

namespace unconfuse {

struct Totals {
    double positives, negatives;
    bool has_empty_block;
};
Totals totals_and_gaps(const Blocks& blocks);

// Columns of blocks.size + 1 numbers, from (0, 0), where the threshold is infinite, to (1, 1).
void roc_points(const Blocks& blocks, ClassTotals totals, const double* score, unsigned n_threads, double* threshold,
                double* fpr, double* tpr);

// Columns of blocks.size numbers.
void precision_recall_points(const Blocks& blocks, ClassTotals totals, unsigned n_threads, double* recall,
                             double* precision, double* queue_rate);

}  // namespace unconfuse
