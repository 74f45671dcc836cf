// Metrics of several replicates at a time: one step along the ranking is a step of all of them, so that no sum waits
// for the one before it. Operation by operation it is what `evaluate_ranks` does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "coarse_table.hpp"
#include "hull.hpp"
#include "labelling.hpp"
#include "lanes.hpp"
#include "ranks.hpp"

namespace unconfuse {

constexpr Wanted of_abreast = of_corners | bit(break_even_precision) | bit(precision_at_indistinguishability);

class Abreast {
public:
    static constexpr std::size_t most_blocks = std::size_t{1} << 18;  // 40 MB of each thread

    // What the replicate of a lane drew from the blocks of a gap.
    using PartsOfGap = std::function<const std::vector<double>&(std::size_t lane, std::size_t gap)>;

    // Gaps hold one class only: negatives, or positives.
    Abreast(std::size_t n_blocks, bool gaps_are_positive);

    // As many replicates as there are lanes, with their counts `n_lanes` places apart. Writes values[lane][metric], NaN
    // where a class is empty; max_mcc only next to blocks with positives, which is the largest unless it is negative or
    // undefined there. Where gaps hold positives, metrics `of_single_positives` are not known.
    void evaluate(const Replicate& drawn, Wanted wanted, const PartsOfGap& parts, double (*values)[n_rank_metrics]);

private:
    void add_up();
    template <typename See>
    void over_corners_of_all(See see) const;
    void look_at_corners(Wanted wanted, double (*values)[n_rank_metrics]) const;
    void gather_points();
    void find_candidates();
    void look_at_lane(std::size_t k, Wanted wanted, const PartsOfGap& parts, double* values);
    const std::vector<HullPoint>& hull_of(std::size_t k, ClassTotals totals);
    double break_even(std::size_t k, double P) const;
    double indistinguishable(std::size_t k, double P, const PartsOfGap& parts) const;

    Labelling before_block(std::size_t i, std::size_t k) const;
    Labelling after_block(std::size_t i, std::size_t k) const;
    Labelling before_gap(std::size_t gap, std::size_t k) const;
    template <typename Test>
    std::size_t first_gap(std::size_t k, Test is_beyond) const;

    // What was drawn from gaps, and of each class from the blocks between them; null where there is nothing.
    struct Counts {
        const std::uint32_t *gaps, *positives, *negatives;
        bool gaps_are_positive;
    };

    std::size_t n_;
    Counts drawn_{};
    std::vector<double> tp_, fp_, outranked_;  // above each block and, last, of all cases: gaps end there
    std::size_t n_points_;                     // after blocks, and after gaps of positives
    std::vector<double> tp_after_, fp_after_;  // of these, with the ends of the curve on both sides
    std::vector<double> own_;                  // positives in what ends there
    std::vector<std::uint32_t> candidates_;    // a list for each lane
    std::size_t n_candidates_[n_lanes] = {};
    RocHull hull_;
};

}  // namespace unconfuse
