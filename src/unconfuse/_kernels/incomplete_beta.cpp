#include "incomplete_beta.hpp"

#include <cmath>
#include <utility>

namespace unconfuse {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22); quick for x up to about the
// mean of the distribution.
double continued_fraction(double a, double b, double x) {
    constexpr double tiny = 1e-300, close = 1e-16;
    constexpr int most_steps = 10'000;
    const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
    double numerator = 1, denominator = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = denominator;
    for (int m = 1; m < most_steps; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        denominator = 1 / away_from_zero(1 + even * denominator);
        numerator = away_from_zero(1 + even / numerator);
        fraction *= denominator * numerator;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        denominator = 1 / away_from_zero(1 + odd * denominator);
        numerator = away_from_zero(1 + odd / numerator);
        const double factor = denominator * numerator;
        fraction *= factor;
        if (std::fabs(factor - 1) <= close) break;
    }
    return fraction;
}

// For x below the mean: I_x(a + 1, b) is found first, so that nothing cancels where x is tiny.
BetaTails from_below(double a, double b, double density, double x) {
    const double below = density * x * (a + b) / (a * (a + 1)) * continued_fraction(a + 1, b, x);
    const double whole = below + density / a;  // I_x(a, b)
    return {below, 1 - whole - density / b};
}

}  // namespace

BetaTails beta_tails(double a, double b, double log_beta, double x) {
    if (!(x > 0)) return x == 0 ? BetaTails{0, 1} : BetaTails{x, x};  // NaN stays NaN
    if (x >= 1) return {1, 0};
    const double density = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta);  // x^a (1 - x)^b / B(a, b)
    if (x < (a + 2) / (a + b + 3)) return from_below(a, b, density, x);
    BetaTails mirrored = from_below(b, a, density, 1 - x);
    std::swap(mirrored.below, mirrored.above);
    return mirrored;
}

}  // namespace unconfuse
