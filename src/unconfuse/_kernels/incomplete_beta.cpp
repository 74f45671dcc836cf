#include "incomplete_beta.hpp"

#include <algorithm>
#include <cmath>

#include "in_vectors.hpp"
#include "lanes.hpp"

namespace unconfuse {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22); quick for x up to about the
// mean of the distribution. A lane that is close enough stays as it is while others go on.
template <typename Number>
UNCONFUSE_INLINE Number continued_fraction(const Number& a, const Number& b, const Number& x) {
    constexpr double tiny = 1e-300, close = 1e-16;
    constexpr int most_steps = 10'000;
    const auto away_from_zero = [](const Number& value) UNCONFUSE_LOOP {
        return choose(each<Number>(tiny) > magnitude(value), each<Number>(tiny), value);
    };
    Number numerator = each<Number>(1), denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    Number fraction = denominator;
    auto goes_on = numerator > Number{};
    for (int step = 1; step < most_steps && any(goes_on); ++step) {
        const double m = step;
        const Number even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
        denominator = 1.0 / away_from_zero(1.0 + even * denominator);
        numerator = away_from_zero(1.0 + even / numerator);
        const Number halfway = fraction * (denominator * numerator);
        const Number odd = (0.0 - (a + m)) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
        denominator = 1.0 / away_from_zero(1.0 + odd * denominator);
        numerator = away_from_zero(1.0 + odd / numerator);
        const Number factor = denominator * numerator;
        fraction = choose(goes_on, halfway * factor, fraction);
        goes_on = goes_on & (magnitude(factor - 1.0) > each<Number>(close));
    }
    return fraction;
}

// A place below the mean of Beta(a, b), or the mirrored one of Beta(b, a).
struct Side {
    double a, b, x, density;  // the last: x^a (1 - x)^b / B(a, b)
    bool is_mirrored;

    // Given the continued fraction of I_x(a + 1, b), which is found first, so that nothing cancels where x is tiny.
    BetaTails tails(double fraction) const {
        const double below = density * x * (a + b) / (a * (a + 1)) * fraction;
        const double whole = below + density / a;  // I_x(a, b)
        const double above = 1 - whole - density / b;
        return is_mirrored ? BetaTails{above, below} : BetaTails{below, above};
    }
};

Side side_of(double a, double b, double log_beta, double x) {
    const double density = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta);
    if (x < (a + 2) / (a + b + 3)) return {a, b, x, density, false};
    return {b, a, 1 - x, density, true};
}

bool is_inside(double x) { return x > 0 && x < 1; }

BetaTails at_end(double x) {
    if (!(x > 0)) return x == 0 ? BetaTails{0, 1} : BetaTails{x, x};  // NaN stays NaN
    return {1, 0};
}

}  // namespace

BetaTails beta_tails(double a, double b, double log_beta, double x) {
    if (!is_inside(x)) return at_end(x);
    const Side side = side_of(a, b, log_beta, x);
    return side.tails(continued_fraction<double>(side.a + 1, side.b, side.x));
}

void beta_tails(double a, double b, double log_beta, const double* x, std::size_t n, BetaTails* tails) {
    for (std::size_t start = 0; start < n; start += n_lanes) {
        const std::size_t size = std::min(n_lanes, n - start);
        Side sides[n_lanes];
        double own_a[n_lanes], own_b[n_lanes], own_x[n_lanes], fraction[n_lanes];
        for (std::size_t k = 0; k < n_lanes; ++k) {
            const double at = x[start + std::min(k, size - 1)];
            sides[k] = side_of(a, b, log_beta, is_inside(at) ? at : 0.5);  // the ends need no fraction
            own_a[k] = sides[k].a + 1;
            own_b[k] = sides[k].b;
            own_x[k] = sides[k].x;
        }
        in_vectors([&]() UNCONFUSE_LOOP {
            write_lanes(fraction, continued_fraction<Lanes>(lanes_at(own_a), lanes_at(own_b), lanes_at(own_x)));
        });
        for (std::size_t k = 0; k < size; ++k)
            tails[start + k] = is_inside(x[start + k]) ? sides[k].tails(fraction[k]) : at_end(x[start + k]);
    }
}

}  // namespace unconfuse
