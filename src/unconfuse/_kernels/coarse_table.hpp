// The score table as the bootstrap sees it: the blocks that hold cases of one class, and what lies between them.
//
// Blocks of the other class alone, between two such blocks, form a gap. Most rank metrics need only the gap's total, so
// a replicate costs as much as there are cases of the first class, which is the rarer one; the total is shared out
// within the gap, with its own random stream, only where somebody asks. Coarse and full replicates of the same number
// are therefore the same replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multinomial.hpp"

namespace unconfuse {

enum class Design { case_control = 0, cohort = 1 };

class CoarseTable {
public:
    CoarseTable(const double* positives, const double* negatives, std::size_t n_blocks);

    std::size_t n_rare_blocks() const { return rare_block_.size(); }
    // Negatives are the rarer class only if their blocks are much fewer: merged positives suit fewer metrics.
    bool negatives_are_rare() const { return negatives_are_rare_; }
    bool has_ties() const { return has_ties_; }  // of positives with negatives
    // No such ties, and few enough positives in a block that it costs little to look at them one by one.
    bool is_nearly_untied() const { return is_nearly_untied_; }

    // Weights of the rarer class, then of the gaps (one more than its blocks), then of the other class where it is tied
    // with it (left out if there are no ties): the units that are drawn.
    const std::vector<double>& rare_weights() const { return rare_weights_; }
    const std::vector<double>& gap_weights() const { return gap_weights_; }
    const std::vector<double>& tied_weights() const { return tied_weights_; }

    std::size_t gap_size(std::size_t gap) const { return gap_start_[gap + 1] - gap_start_[gap]; }
    std::size_t n_gap_blocks() const { return gap_block_.size(); }
    std::size_t largest_gap() const { return largest_gap_; }
    std::size_t block_in_gap(std::size_t gap, std::size_t i) const { return gap_block_[gap_start_[gap] + i]; }
    std::size_t rare_block(std::size_t i) const { return rare_block_[i]; }

    // Shares a gap's total out among its blocks.
    void refine(std::uint64_t seed, std::uint64_t replicate, std::size_t gap, std::uint32_t total,
                std::uint32_t* counts) const;

private:
    std::vector<std::size_t> rare_block_, gap_start_, gap_block_;
    std::vector<double> rare_weights_, gap_weights_, tied_weights_, gap_block_weight_;
    std::vector<bool> gap_is_even_;
    std::size_t largest_gap_ = 0;
    bool negatives_are_rare_ = false, has_ties_ = false, is_nearly_untied_ = false;
};

// The counts of one replicate; pointers into one array of units.
struct Replicate {
    const std::uint32_t* rare;
    const std::uint32_t* gaps;
    const std::uint32_t* tied;  // null if no positive is tied with a negative
};

// Draws replicates of a table. Case-control: both class totals stay as they are. Cohort: only their sum does.
class Resampler {
public:
    Resampler(const CoarseTable& table, Design design, std::uint64_t seed);
    std::size_t n_units() const { return n_rare_units_ + n_other_units_; }
    // Counts are written `stride` places apart.
    Replicate draw(std::uint64_t replicate, std::uint32_t* units, std::size_t stride = 1) const;

private:
    std::size_t n_rare_units_, n_other_units_, n_gaps_;
    bool has_ties_;
    std::uint64_t seed_;
    std::vector<Multinomial> strata_;
};

constexpr double most_cases = 2147483647.0;  // ranks are counted in 32 bits

// Weights are 0 or more: draws from others might never end.
void check_weights(const double* weights, std::size_t n);

// A weight total as a number of cases to draw.
std::uint32_t whole_total(double weight);

}  // namespace unconfuse
