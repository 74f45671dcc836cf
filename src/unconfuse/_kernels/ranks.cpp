#include "ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "best_cuts.hpp"
#include "corners.hpp"
#include "curve_areas.hpp"
#include "hull.hpp"
#include "labelling.hpp"

namespace unconfuse {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// The areas need no totals before the end: one pass is all.
void evaluate_areas(const Blocks& blocks, Wanted wanted, double* values) {
    const bool want_interpolated = wanted & bit(auprc_davis_goadrich), want_integral = wanted & bit(auprc_integral);
    double tp = 0, fp = 0, ordered_pairs = 0, precision_sum = 0, interpolated = 0, integral = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        ordered_pairs += d * (tp + c / 2);
        if (c > 0) {
            precision_sum += c * (tp + c) / (tp + c + fp + d);
            if (want_interpolated) interpolated += davis_goadrich_of_block(tp, fp, c, d);
            if (want_integral) integral += integral_of_block(tp, fp, c, d);
        }
        tp += c;
        fp += d;
    }
    if (!(tp > 0 && fp > 0)) ordered_pairs = precision_sum = interpolated = integral = undefined;
    values[auroc] = ordered_pairs / (tp * fp);
    values[average_precision] = precision_sum / tp;
    values[auprc_davis_goadrich] = interpolated / tp;
    values[auprc_integral] = integral / tp;
}

double first_nonempty(const std::vector<double>& parts) {
    const auto found = std::find_if(parts.begin(), parts.end(), [](double part) { return part > 0; });
    return found == parts.end() ? 0.0 : *found;
}

// MCC falls with every further negative, so it is best right after the first one if negatives lead the ranking.
double mcc_of_first_part(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts) {
    std::size_t first = 0;
    while (blocks.positives[first] + blocks.negatives[first] <= 0) ++first;
    if (blocks.positives[first] > 0) return undefined;
    return mcc_of(0, parts ? first_nonempty(parts(first)) : blocks.negatives[first], totals);
}

// And it rises with every further positive, until all cases are labelled: if positives end the ranking, it may be best
// right before the last of them, which lies within a block if they were merged.
double mcc_before_last_part(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts) {
    std::size_t last = blocks.size - 1;
    while (blocks.positives[last] + blocks.negatives[last] <= 0) --last;
    if (!parts || blocks.negatives[last] > 0) return undefined;
    std::vector<double> reversed = parts(last);
    std::reverse(reversed.begin(), reversed.end());
    return mcc_of(totals.positives - first_nonempty(reversed), totals.negatives, totals);
}

// A negative MCC may be larger next to the ends of the ranking.
void look_at_ends(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts, double& mcc) {
    if (mcc >= 0) return;
    mcc = std::fmax(mcc, mcc_of_first_part(blocks, totals, parts));
    mcc = std::fmax(mcc, mcc_before_last_part(blocks, totals, parts));
}

// Within a run of pure-negative blocks F1, MCC and TPR - FPR only fall: each is best right after a block with positives
// (or, if MCC is negative everywhere, after the very first block), and TPR - FPR is lowest right before one. Hull and
// areas know no corner within such a run either. So merging pure-negative blocks does no harm, and they need no look.
void evaluate_corners(const Blocks& blocks, ClassTotals totals, Wanted wanted, double* values,
                      const PartsOfBlock& parts) {
    BestCuts<double> best(totals);
    RocHull hull;
    TrapezoidArea<double> trapezoid;
    GainArea<double> gain(totals);
    EqualErrors<double> equal(totals);
    over_corners(blocks, [&](const Corners& corners) {
        const auto show = [&](Wanted to, auto& whom) {
            if (wanted & to)
                for (std::size_t i = 0; i < corners.size; ++i) whom.see(corners[i]);
        };
        show(all_maxima, best);
        if (wanted & of_hull) hull.see(corners);
        show(bit(auprc_trapezoid), trapezoid);
        show(bit(auprg), gain);
        show(bit(equal_error_rate), equal);
    });
    if (wanted & all_maxima) best.write(values);
    if (wanted & bit(max_mcc)) look_at_ends(blocks, totals, parts, values[max_mcc]);
    if (wanted & of_hull) write_of_hull(hull.vertices(totals), totals, wanted, values);
    values[auprc_trapezoid] = trapezoid.value(totals);
    values[auprg] = gain.value();
    values[equal_error_rate] = equal.value();
}

// Precision where as many are labelled as there are positives, so that precision = recall. If that takes only a part of
// a block, the part holds its share of the block's positives.
double break_even(const Blocks& blocks, ClassTotals totals) {
    double tp = 0, queue = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], size = c + blocks.negatives[b];
        if (size > 0 && queue + size >= totals.positives)
            return (tp + c * (totals.positives - queue) / size) / totals.positives;
        tp += c;
        queue += size;
    }
    return tp / totals.positives;
}

// Precision of the largest labelled set with B <= 1/2.
double indistinguishable(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts) {
    const double P = totals.positives;
    Labelling set{0, 0, 0};
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        const Labelling next = set.with(c, d);
        if (next.is_beyond_half(P)) {
            if (parts && c + d == c) return set.precision_within(parts(b), P);
            return parts && c == 0 ? set.precision_with(parts(b), P) : set.tp / set.queue;
        }
        set = next;
    }
    return set.precision_of_all(P);
}

}  // namespace

ClassTotals totals_of(const Blocks& blocks) {
    ClassTotals totals{0, 0};
    for (std::size_t b = 0; b < blocks.size; ++b) {
        totals.positives += blocks.positives[b];
        totals.negatives += blocks.negatives[b];
    }
    return totals;
}

ClassTotals totals_of(const CountedBlocks& blocks) {
    std::uint64_t positives = 0, negatives = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        positives += blocks.counts[b].positives;
        negatives += blocks.counts[b].negatives;
    }
    return {static_cast<double>(positives), static_cast<double>(negatives)};
}

double auroc_of(const CountedBlocks& blocks) {
    std::uint64_t positives = 0, negatives = 0, twice_ordered = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const std::uint64_t c = blocks.counts[b].positives, d = blocks.counts[b].negatives;
        twice_ordered += d * (2 * positives + c);
        positives += c;
        negatives += d;
    }
    if (positives == 0 || negatives == 0) return undefined;
    return static_cast<double>(twice_ordered) / 2 / (static_cast<double>(positives) * static_cast<double>(negatives));
}

void evaluate_ranks(const Blocks& blocks, Wanted wanted, double* values, const PartsOfBlock& parts) {
    if (wanted & all_areas) evaluate_areas(blocks, wanted, values);
    if (!(wanted & ~all_areas)) return;
    const ClassTotals totals = totals_of(blocks);
    if (!(totals.positives > 0 && totals.negatives > 0)) {
        std::fill(values, values + n_rank_metrics, undefined);
        return;
    }
    if (wanted & of_corners) evaluate_corners(blocks, totals, wanted, values, parts);
    if (wanted & bit(break_even_precision)) values[break_even_precision] = break_even(blocks, totals);
    if (wanted & bit(precision_at_indistinguishability))
        values[precision_at_indistinguishability] = indistinguishable(blocks, totals, parts);
}

}  // namespace unconfuse
