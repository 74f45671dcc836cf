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

}  // namespace unconfuse
