// Poisson and binomial random numbers, exact to double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "random.hpp"

namespace unconfuse {

// Poisson with any rate >= 0; slower than a table, but needs no more than nine numbers.
class Poisson {
public:
    explicit Poisson(double rate);
    std::uint32_t draw(Generator& random) const {
        return rate_ > 0 && rate_ < rejection_from ? by_inversion(random) : draw_large(random);
    }

private:
    static constexpr double rejection_from = 10.0;  // the rate from which the rejection method is valid

    // How often an outcome is exceeded is added up without a branch, because it cannot be foretold: of small rates
    // nearly every draw ends here. The loop does the same steps, one after the other.
    std::uint32_t by_inversion(Generator& random) const {
        const double left = random.uniform(), less = left - none_, least = less - one_;
        const bool some = left >= none_, several = some & (less >= one_) & (one_ > 0);
        if (several & (least >= two_) & (two_ > 0)) return three_or_more(least - two_);
        return static_cast<std::uint32_t>(some) + static_cast<std::uint32_t>(several);
    }
    std::uint32_t three_or_more(double left) const;
    std::uint32_t draw_large(Generator& random) const;
    std::uint32_t by_rejection(Generator& random) const;

    double rate_, none_, one_, two_;  // the probabilities of 0, 1 and 2
    double log_rate_, a_, b_, inverse_alpha_, quick_;
};

// Binomial with n trials of probability p.
std::uint32_t binomial(Generator& random, std::uint32_t n, double p);

// Poisson of one fixed rate by inversion. The unit interval is cut into cells; a cell that lies within one outcome
// answers at once, the few others (`undecided`) look at the distribution function with a fresh random number.
class PoissonTable {
public:
    static constexpr int cell_bits = 10;
    static constexpr std::uint32_t n_cells = 1u << cell_bits;
    static constexpr std::uint8_t undecided = 0xFF;
    static constexpr double largest_rate = 100.0;  // what lies beyond 254 is then smaller than the rounding of a double

    PoissonTable() = default;
    explicit PoissonTable(double rate);
    void append_cells(std::vector<std::uint8_t>& cells) const;
    std::uint32_t draw(Generator& random, std::uint32_t cell) const;

private:
    std::vector<double> cumulative_;
};

}  // namespace unconfuse
