#include "discrete.hpp"

#include <algorithm>
#include <cmath>

namespace unconfuse {
namespace {

constexpr double rejection_from = 10.0;  // expected counts from which the rejection of binomials is valid

// ln k! - [ (k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2 ], the correction to Stirling's formula.
double stirling_correction(double k) {
    static constexpr double small[] = {
        0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509, 0.01664469118982119,
        0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.00925546218271273, 0.00833056343336287};
    if (k < 10) return small[static_cast<int>(k)];
    const double next = k + 1, square = next * next;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * square)) / square) / square) / next;
}

double log_factorial(double k) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    return (k + 0.5) * std::log(k + 1) - (k + 1) + half_log_two_pi + stirling_correction(k);
}

std::uint32_t binomial_by_inversion(Generator& random, std::uint32_t n, double p) {
    const double odds = p / (1 - p);
    double left = random.uniform(), probability = std::exp(n * std::log1p(-p));
    std::uint32_t k = 0;
    while (left >= probability && k < n) {
        left -= probability;
        ++k;
        probability *= odds * (static_cast<double>(n) - k + 1) / k;
    }
    return k;
}

// Hoermann (1993), "The generation of binomial random variates", algorithm BTRS, for p <= 1/2 and n p >= 10.
std::uint32_t binomial_by_rejection(Generator& random, std::uint32_t trials, double p) {
    const double n = trials, sd = std::sqrt(n * p * (1 - p)), odds = p / (1 - p), mode = std::floor((n + 1) * p);
    const double b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * p, centre = n * p + 0.5;
    const double alpha = (2.83 + 5.1 / b) * sd, quick = 0.92 - 4.2 / b;
    for (;;) {
        const double u = random.uniform() - 0.5, v = random.uniform(), us = 0.5 - std::fabs(u);
        const double k = std::floor((2 * a / us + b) * u + centre);
        if (k < 0 || k > n) continue;
        if (us >= 0.07 && v <= quick) return static_cast<std::uint32_t>(k);
        const double log_ratio = std::log(v * alpha / (a / (us * us) + b));
        const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                             (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                             (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_correction(mode) +
                             stirling_correction(n - mode) - stirling_correction(k) - stirling_correction(n - k);
        if (log_ratio <= bound) return static_cast<std::uint32_t>(k);
    }
}

}  // namespace

Poisson::Poisson(double rate)
    : rate_(rate),
      none_(std::exp(-rate)),
      one_(none_ * rate),
      two_(one_ * (rate / 2)),
      log_rate_(std::log(rate)),
      b_(0.931 + 2.53 * std::sqrt(rate)),
      inverse_alpha_(1.1239 + 1.1328 / (b_ - 3.4)),
      quick_(0.9277 - 3.6224 / (b_ - 2)) {
    a_ = -0.059 + 0.02483 * b_;
}

std::uint32_t Poisson::draw_large(Generator& random) const { return rate_ > 0 ? by_rejection(random) : 0; }

std::uint32_t Poisson::three_or_more(double left) const {
    std::uint32_t k = 3;
    double probability = two_ * (rate_ / 3);
    while (left >= probability && probability > 0) {
        left -= probability;
        probability *= rate_ / ++k;
    }
    return k;
}

// Hoermann (1993), "The transformed rejection method for generating Poisson random variables", algorithm PTRS.
std::uint32_t Poisson::by_rejection(Generator& random) const {
    for (;;) {
        const double u = random.uniform() - 0.5, v = random.uniform(), us = 0.5 - std::fabs(u);
        const double place = (2 * a_ / us + b_) * u + rate_ + 0.43;
        if (us >= 0.07 && v <= quick_) return static_cast<std::uint32_t>(place);  // which is not negative here
        const double k = std::floor(place);
        if (k < 0 || (us < 0.013 && v > us)) continue;
        const double log_ratio = std::log(v * inverse_alpha_ / (a_ / (us * us) + b_));
        if (log_ratio <= k * log_rate_ - rate_ - log_factorial(k)) return static_cast<std::uint32_t>(k);
    }
}

std::uint32_t binomial(Generator& random, std::uint32_t n, double p) {
    if (n == 0 || !(p > 0)) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - binomial(random, n, 1 - p);
    return n * p < rejection_from ? binomial_by_inversion(random, n, p) : binomial_by_rejection(random, n, p);
}

PoissonTable::PoissonTable(double rate) {
    double probability = std::exp(-rate), total = probability;
    cumulative_.push_back(total);
    for (int k = 1; k < undecided && (k <= rate || probability > 0x1p-60); ++k) {
        probability *= rate / k;
        cumulative_.push_back(total += probability);
    }
    cumulative_.back() = 2.0;  // the tail beyond is smaller than the rounding of a double
}

void PoissonTable::append_cells(std::vector<std::uint8_t>& cells) const {
    std::size_t outcome = 0;
    for (std::uint32_t cell = 0; cell < n_cells; ++cell) {
        while (cumulative_[outcome] <= static_cast<double>(cell) / n_cells) ++outcome;
        const bool decided = cumulative_[outcome] >= static_cast<double>(cell + 1) / n_cells;
        cells.push_back(decided ? static_cast<std::uint8_t>(outcome) : undecided);
    }
}

std::uint32_t PoissonTable::draw(Generator& random, std::uint32_t cell) const {
    const double place = (cell + random.uniform()) / n_cells;
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), place);
    return static_cast<std::uint32_t>(found - cumulative_.begin());
}

}  // namespace unconfuse
