// Resampling of units: rows, or clusters of rows, possibly within strata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootstrap.hpp"
#include "multinomial.hpp"

namespace unconfuse {

// Draws, in every stratum, as many units as the stratum's weight, with probabilities proportional to weight.
class UnitResampler {
public:
    // `strata` may be null (one stratum); otherwise it holds a small non-negative number for each unit.
    UnitResampler(const double* weights, const std::int64_t* strata, std::size_t n_units, std::uint64_t seed);
    std::size_t n_units() const { return n_units_; }
    // `scratch` and `counts` have room for n_units numbers.
    void draw(std::uint64_t replicate, std::uint32_t* scratch, std::uint32_t* counts) const;

private:
    struct Stratum {
        std::vector<std::size_t> units;
        Multinomial counts;
    };
    std::size_t n_units_;
    std::uint64_t seed_;
    std::vector<Stratum> strata_;
};

// Writes range.count rows of n_units multiplicities.
void bootstrap_units(const UnitResampler& units, const ReplicateRange& range, std::uint32_t* multiplicities);

// What units hold, cell by cell: of cell c the entries from start[c] on.
struct Holdings {
    const std::int64_t* start;  // one more than there are cells
    const std::int64_t* unit;
    const double* held;
    std::size_t n_cells;
};

// For each of so many rows of numbers, one for each unit: what the units hold in every cell, times their numbers.
void sums_of_units(const Holdings& holdings, const double* times, std::size_t n_rows, std::size_t n_units,
                   unsigned n_threads, double* sums);

}  // namespace unconfuse
