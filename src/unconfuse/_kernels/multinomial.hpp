// Multinomial counts over many units of any weight, exactly, at about a nanosecond per unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "discrete.hpp"
#include "random.hpp"

namespace unconfuse {

// One unit with probability proportional to its weight (Walker's alias method).
class Categorical {
public:
    Categorical() = default;
    explicit Categorical(const std::vector<double>& weights);
    std::size_t draw(Generator& random) const {
        const WideProduct place = wide_multiply(random.bits(), size_);
        if (cells_.empty()) return place.high;  // all weights alike
        const Cell& cell = cells_[place.high];
        return place.low < cell.keep ? place.high : cell.alias;
    }

private:
    struct Cell {
        std::uint64_t keep;
        std::uint64_t alias;
    };
    std::size_t size_ = 0;
    std::vector<Cell> cells_;
};

// Counts of `total` draws with probabilities proportional to `weights`.
//
// Many units: each unit gets an independent Poisson count with a little less than its share; if their sum exceeds
// `total` all are drawn again; what is missing is topped up by single draws. Poissons given their sum are multinomial,
// and multinomials with the same probabilities add up to one, so the law is exact.
// Few units: a chain of conditional binomials.
class Multinomial {
public:
    Multinomial() = default;
    Multinomial(std::vector<double> weights, std::uint32_t total);
    std::size_t size() const { return weights_.size(); }
    std::uint32_t total() const { return total_; }
    // Counts are written `stride` places apart.
    void draw(Generator& random, std::uint32_t* counts, std::size_t stride = 1) const;

private:
    void prepare_poissons();
    void draw_poissons(Generator& random, std::uint32_t* counts, std::size_t stride) const;
    std::uint64_t try_poissons(Generator& random, std::uint32_t* counts, std::size_t stride) const;
    std::uint64_t try_chunk(Generator& random, std::size_t start, std::uint32_t* counts, std::size_t stride) const;
    std::uint32_t resolve(Generator& random, std::size_t unit, std::uint32_t cell) const;

    static constexpr std::size_t chunk = 256;
    static constexpr std::uint16_t no_table = 0;  // table 0 decides nothing: the unit has a rate of its own

    std::vector<double> weights_;
    std::uint32_t total_ = 0;
    double weight_sum_ = 0.0, rate_per_weight_ = 0.0;
    bool by_binomials_ = false;
    std::vector<std::uint16_t> table_of_;
    std::vector<PoissonTable> tables_;
    std::vector<std::uint8_t> cells_;    // of all tables, end to end
    std::vector<std::uint32_t> own_of_;  // the place among these of a unit without a table
    std::vector<Poisson> own_;
    Categorical top_up_;
};

// A chain of conditional binomials over `n` units.
void draw_by_binomials(Generator& random, const double* weights, std::size_t n, double weight_sum, std::uint32_t total,
                       std::uint32_t* counts, std::size_t stride = 1);

}  // namespace unconfuse
