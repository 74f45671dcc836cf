// Poisson and binomial random numbers, exact to double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "random.hpp"

namespace unconfuse {

// Poisson with any rate >= 0; slower than a table, but needs no more than six numbers.
class Poisson {
public:
    explicit Poisson(double rate);
    std::uint32_t draw(Generator& random) const;

private:
    std::uint32_t by_inversion(Generator& random) const;
    std::uint32_t by_rejection(Generator& random) const;

    double rate_, none_, log_rate_, a_, b_, inverse_alpha_, quick_;
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
