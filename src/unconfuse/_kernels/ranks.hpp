// Metrics of the ranking, from tie blocks in descending order of score. Weights may be any non-negative numbers; a
// block of weight 0 is no block.
#pragma once

#include <cstddef>
#include <cstdint>
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
    equal_error_rate,
    auch,
    h_measure,
    auprc_trapezoid,
    auprg,
    n_rank_metrics
};

using Wanted = unsigned;  // one bit for each metric
constexpr Wanted bit(RankMetric metric) { return 1u << metric; }
constexpr Wanted first_areas = bit(auroc) | bit(average_precision) | bit(auprc_davis_goadrich);
constexpr Wanted all_areas = first_areas | bit(auprc_integral);
constexpr Wanted all_maxima = bit(max_f1) | bit(max_youden) | bit(ks) | bit(max_mcc);
// What changes where neighbouring blocks of positives alone are merged. All others cannot tell, or ask for the parts.
constexpr Wanted of_single_positives = bit(average_precision) | bit(auprc_trapezoid) | bit(auprg);
constexpr Wanted of_hull = bit(auch) | bit(h_measure);
constexpr Wanted of_corners = all_maxima | of_hull | bit(equal_error_rate) | bit(auprc_trapezoid) | bit(auprg);

struct Blocks {
    const double* positives;
    const double* negatives;
    std::size_t size;
};

template <typename Number>
struct TotalsOf {
    Number positives, negatives;
};
using ClassTotals = TotalsOf<double>;
ClassTotals totals_of(const Blocks& blocks);

// A table whose cases count once each takes half the memory. There are fewer than 2^32 cases, so that twice the number
// of pairs fits 64 bits: its sums are exact.
struct CaseCounts {
    std::uint32_t positives, negatives;
};

struct CountedBlocks {
    const CaseCounts* counts;
    std::size_t size;
};
ClassTotals totals_of(const CountedBlocks& blocks);

// The AUROC of such a table; NaN where a class is empty.
double auroc_of(const CountedBlocks& blocks);

// Neighbouring pure-negative blocks may have been merged, or for metrics not `of_single_positives` pure-positive ones.
// Nearly all metrics cannot tell; the two that can ask for the sizes of the blocks that block `block` is made of.
using PartsOfBlock = std::function<const std::vector<double>&(std::size_t block)>;

// Writes values[metric] for each wanted metric; NaN where a class is empty. Without `parts`, nothing has been merged.
void evaluate_ranks(const Blocks& blocks, Wanted wanted, double* values, const PartsOfBlock& parts = nullptr);

// The Davis-Goadrich area that one block adds, times the number of positives: tp and fp above the block, c positives
// and d negatives in it. Precision is interpolated with fp linear in tp, at unit steps of tp from the start of the
// block and at its end, and summed by the trapezoid rule; for whole numbers this is PRROC's auc.davis.goadrich.
double davis_goadrich_of_block(double tp, double fp, double c, double d);

// The same with precision integrated exactly (Keilwagen; PRROC's auc.integral).
double integral_of_block(double tp, double fp, double c, double d);

}  // namespace unconfuse
