// What a segment of the ROC hull costs when the cost of an error has a beta distribution.
#pragma once

#include <cstddef>

namespace unconfuse {

struct BetaTails {
    double below;  // I_x(a + 1, b)
    double above;  // 1 - I_x(a, b + 1)
};

// Both at once: they differ from I_x(a, b) and 1 - I_x(a, b) by simple terms. `log_beta` is ln B(a, b).
BetaTails beta_tails(double a, double b, double log_beta, double x);

// The same at n places, several at a time.
void beta_tails(double a, double b, double log_beta, const double* x, std::size_t n, BetaTails* tails);

}  // namespace unconfuse
