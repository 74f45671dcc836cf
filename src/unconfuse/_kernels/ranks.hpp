// Metrics of the ranking, from tie blocks in descending order of score. Weights may be any non-negative numbers; a block
// of weight 0 is no block.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace unconfuse {

enum RankMetric : unsigned {
    auroc,
    average_precision,
    auprc_davis_goadrich,
    auprc_integral,
    max_f1,
    max_youden,
    ks,
    max_mcc,
    break_even_precision,
    precision_at_indistinguishability,
    n_rank_metrics
};

using Wanted = unsigned;  // one bit for each metric
constexpr Wanted bit(RankMetric metric) { return 1u << metric; }
constexpr Wanted first_areas = bit(auroc) | bit(average_precision) | bit(auprc_davis_goadrich);
constexpr Wanted all_areas = first_areas | bit(auprc_integral);
constexpr Wanted all_maxima = bit(max_f1) | bit(max_youden) | bit(ks) | bit(max_mcc);

struct Blocks {
    const double* positives;
    const double* negatives;
    std::size_t size;
};

struct ClassTotals {
    double positives, negatives;
};
ClassTotals totals_of(const Blocks& blocks);

// Neighbouring pure-negative blocks may have been merged. Nearly all metrics cannot tell; two can, and ask what merged
// block number `block` is made of: for the largest leading part of it that has at most `room` members,
using PartOfBlock = std::function<double(std::size_t block, double room)>;
// and for its first part that is not empty.
using FirstPartOfBlock = std::function<double(std::size_t block)>;

// Writes values[metric] for each wanted metric; NaN where a class is empty. Without `part`, blocks are taken whole.
// Without `first_part`, max_mcc of a ranking that is worse than chance at every threshold may come out too low.
void evaluate_ranks(const Blocks& blocks, Wanted wanted, double* values, const PartOfBlock& part = nullptr,
                    const FirstPartOfBlock& first_part = nullptr);

// The largest sum of leading parts that is at most `room`, and the first part that is not empty (0 if all are).
double largest_within(const std::vector<double>& parts, double room);
double first_nonempty(const std::vector<double>& parts);

// The Davis-Goadrich area that one block adds, times the number of positives: tp and fp above the block, c positives
// and d negatives in it. Precision is interpolated with fp linear in tp, at unit steps of tp from the start of the block
// and at its end, and summed by the trapezoid rule; for whole numbers this is PRROC's auc.davis.goadrich.
double davis_goadrich_of_block(double tp, double fp, double c, double d);

// The same with precision integrated exactly (Keilwagen; PRROC's auc.integral).
double integral_of_block(double tp, double fp, double c, double d);

}  // namespace unconfuse
