// What one tie block adds to the areas under the precision-recall curve.
#include <cmath>
#include <limits>

#include "ranks.hpp"

namespace unconfuse {
namespace {

constexpr double few_steps = 24;  // below this, summing is faster than the closed form

// 1/(a + 1) + 1/(a + 2) + ... + 1/(a + n), that is digamma(a + n + 1) - digamma(a + 1), without cancellation
// for large a.
double harmonic_range(double a, double n) {
    if (!(a > -1)) return std::numeric_limits<double>::quiet_NaN();  // of weights below 0; adding 1 may lead nowhere
    double sum = 0.0, low = a + 1, high = a + n + 1;
    for (; low < 16 && low < high - 0.5; ++low) sum += 1 / low;  // the series below needs large arguments
    const double gap = high - low;
    if (gap < 0.5) return sum;
    const double x = 1 / low, y = 1 / high, x2 = x * x, y2 = y * y;
    const double first = gap * x * y;          // 1/low - 1/high
    const double second = first * (x + y);     // 1/low^2 - 1/high^2
    const double fourth = second * (x2 + y2);  // and so on
    const double sixth = second * (x2 * x2 + x2 * y2 + y2 * y2);
    return sum + std::log1p(gap * x) + first / 2 + second / 12 - fourth / 120 + sixth / 252;
}

}  // namespace

double davis_goadrich_of_block(double tp, double fp, double c, double d) {
    const double labelled = tp + fp, slope = 1 + d / c;
    const auto precision = [&](double t) { return (tp + t) / (labelled + t * slope); };
    // Above the first positive there is no precision: 0 if negatives come first, else that of the first block.
    const double at_start = labelled > 0 ? tp / labelled : 1 / slope;
    const double at_end = precision(c);
    if (c <= 1) return c * (at_start + at_end) / 2;
    const double steps = std::floor(c);
    double inner = 0.0;  // precision at t = 1, ..., steps
    if (steps <= few_steps) {
        for (double t = 1; t <= steps; ++t) inner += precision(t);
    } else {
        const double start = labelled / slope;
        inner = steps / slope + (tp - start) / slope * harmonic_range(start, steps);
    }
    const double last = precision(steps);
    return at_start / 2 + inner - last / 2 + (c - steps) * (last + at_end) / 2;
}

double integral_of_block(double tp, double fp, double c, double d) {
    const double labelled = tp + fp, slope = 1 + d / c;
    if (labelled <= 0) return c / slope;
    return c / slope + (tp - labelled / slope) / slope * std::log1p(slope * c / labelled);
}

}  // namespace unconfuse
