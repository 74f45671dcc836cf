#include "ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

double mcc_of(double tp, double fp, ClassTotals totals) {
    const double P = totals.positives, N = totals.negatives, queue = tp + fp, spread = queue * (P + N - queue);
    if (spread <= 1e-13 * (P + N) * (P + N)) return undefined;  // all labelled alike, but for the rounding of weights
    return (tp * N - fp * P) / (std::sqrt(spread * P) * std::sqrt(N));
}

// The largest sum of leading parts that is at most `room`.
double largest_within(const std::vector<double>& parts, double room) {
    double sum = 0;
    for (const double part : parts) {
        if (sum + part > room) break;
        sum += part;
    }
    return sum;
}

double first_nonempty(const std::vector<double>& parts) {
    const auto found = std::find_if(parts.begin(), parts.end(), [](double part) { return part > 0; });
    return found == parts.end() ? 0.0 : *found;
}

// MCC falls with every further negative, so it is best right after the first one if negatives lead the ranking.
double mcc_of_first_part(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts) {
    std::size_t first = 0;
    while (blocks.positives[first] + blocks.negatives[first] <= 0) ++first;
    return blocks.positives[first] > 0 ? undefined : mcc_of(0, first_nonempty(parts(first)), totals);
}

// Within a run of pure-negative blocks F1, MCC and TPR - FPR only fall, so merging such blocks does no harm: the best
// threshold is never inside a run (nor is that of |TPR - FPR|, which is convex there), unless nothing comes before it.
void evaluate_maxima(const Blocks& blocks, ClassTotals totals, Wanted wanted, double* values,
                     const PartsOfBlock& parts) {
    const double P = totals.positives, N = totals.negatives;
    const bool want_mcc = wanted & bit(max_mcc);
    double tp = 0, fp = 0, f1 = 0, above = 0, below = 0, mcc = undefined;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        if (c + d <= 0) continue;
        tp += c;
        fp += d;
        f1 = std::max(f1, 2 * tp / (P + tp + fp));
        const double youden = tp / P - fp / N;
        above = std::max(above, youden);
        below = std::max(below, -youden);
        if (want_mcc) mcc = std::fmax(mcc, mcc_of(tp, fp, totals));
    }
    if (want_mcc && parts && !(mcc >= 0)) mcc = std::fmax(mcc, mcc_of_first_part(blocks, totals, parts));
    values[max_f1] = f1;
    values[max_youden] = above;
    values[ks] = std::max(above, below);
    values[max_mcc] = mcc;
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

// Precision of the largest labelled set with B <= 1/2, where B is the chance that a positive outranks a labelled one.
// `outranked` is twice the number of (positive, labelled) pairs won, so B <= 1/2 reads outranked <= P * queue.
double indistinguishable(const Blocks& blocks, ClassTotals totals, const PartsOfBlock& parts) {
    constexpr double slack = 1 + 1e-12;  // weights that are no whole numbers: equality is meant up to rounding
    const double P = totals.positives;
    double tp = 0, queue = 0, outranked = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], size = c + blocks.negatives[b];
        const double next_outranked = outranked + size * (2 * tp + c), next_queue = queue + size;
        if (next_outranked > P * next_queue * slack) {
            const bool may_be_merged = parts && c == 0;
            const double room = (P * queue * slack - outranked) / (2 * tp - P * slack);  // how many still keep B <= 1/2
            return tp / (queue + (may_be_merged ? largest_within(parts(b), room * slack) : 0.0));
        }
        tp += c;
        queue = next_queue;
        outranked = next_outranked;
    }
    return outranked * slack >= P * queue ? tp / queue : undefined;
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

void evaluate_ranks(const Blocks& blocks, Wanted wanted, double* values, const PartsOfBlock& parts) {
    if (wanted & all_areas) evaluate_areas(blocks, wanted, values);
    if (!(wanted & ~all_areas)) return;
    const ClassTotals totals = totals_of(blocks);
    if (!(totals.positives > 0 && totals.negatives > 0)) {
        std::fill(values, values + n_rank_metrics, undefined);
        return;
    }
    if (wanted & all_maxima) evaluate_maxima(blocks, totals, wanted, values, parts);
    if (wanted & bit(break_even_precision)) values[break_even_precision] = break_even(blocks, totals);
    if (wanted & bit(precision_at_indistinguishability))
        values[precision_at_indistinguishability] = indistinguishable(blocks, totals, parts);
}

}  // namespace unconfuse
