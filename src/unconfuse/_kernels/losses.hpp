// Losses of stated probabilities: their means and spreads over both classes, in one pass over the table.
#pragma once

#include <cstddef>

#include "ranks.hpp"

namespace unconfuse {

enum class Loss { squared = 0, logarithmic = 1 };

struct Moments {
    double weight, mean, squares;  // squares about the mean
};

// What a case costs if it is positive and if it is negative, each over the positives and over the negatives: the
// crossed ones tell what half a case of the other class would add.
struct LossMoments {
    Moments positive_loss[2], negative_loss[2];
};

// Scores are first moved into [floor, 1 - floor].
LossMoments loss_moments(const double* score, const Blocks& blocks, Loss loss, double floor, unsigned n_threads);

}  // namespace unconfuse
