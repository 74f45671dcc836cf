// Logistic recalibration: logit P(positive) = a + b logit(score).
#pragma once

#include <cstddef>

#include "ranks.hpp"

namespace unconfuse {

struct Recalibration {
    double level;             // a with b held at 1
    double intercept, slope;  // fitted together
};

// Log-odds of scores strictly between 0 and 1.
void write_log_odds(const double* score, std::size_t n, unsigned n_threads, double* log_odds);

// `start` is where to begin, `with_slope` whether the second model is wanted (it has no solution where a threshold
// separates the classes). Newton's method; the result does not depend on the number of threads.
Recalibration recalibrate(const double* log_odds, const Blocks& blocks, const Recalibration& start, bool with_slope,
                          unsigned n_threads);

}  // namespace unconfuse
