#include "curve_areas.hpp"

#include <algorithm>
#include <limits>

namespace unconfuse {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Calls add(tp, fp, c, d) for each block that holds positives, tp and fp being above it; returns the totals.
template <typename Add>
ClassTotals over_positive_blocks(const Blocks& blocks, Add add) {
    double tp = 0, fp = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        if (c > 0) {
            add(tp, fp, c, d);
            tp += c;
        }
        fp += d;
    }
    return {tp, fp};
}

bool both_classes(ClassTotals totals) { return totals.positives > 0 && totals.negatives > 0; }

}  // namespace

double trapezoid_area(const Blocks& blocks) {
    double area = 0;
    const ClassTotals totals = over_positive_blocks(blocks, [&](double tp, double fp, double c, double d) {
        const double before = tp + fp > 0 ? tp / (tp + fp) : 1.0, after = (tp + c) / (tp + fp + c + d);
        area += c * (before + after) / 2;
    });
    return both_classes(totals) ? area / totals.positives : undefined;
}

double gain_area(const Blocks& blocks) {
    const ClassTotals totals = totals_of(blocks);
    if (!both_classes(totals)) return undefined;
    const double P = totals.positives, odds = P / totals.negatives;
    const double zero = P * P / (P + totals.negatives);  // the true positives at which the recall gain is 0
    double area = 0;
    over_positive_blocks(blocks, [&](double tp, double fp, double c, double d) {
        const double end = tp + c, start = std::max(tp, zero);
        if (!(end > start)) return;
        const double fp_start = fp + (start - tp) * d / c;
        const double width = odds * P * (end - start) / (start * end);
        area += width * (1 - odds * (fp_start / start + (fp + d) / end) / 2);
    });
    return area;
}

double partial_area(const Blocks& blocks, double max_fpr) {
    const ClassTotals totals = totals_of(blocks);
    if (!both_classes(totals)) return undefined;
    const double limit = max_fpr * totals.negatives;
    double tp = 0, fp = 0, area = 0;
    for (std::size_t b = 0; b < blocks.size && fp < limit; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        if (d > 0) {
            const double width = std::min(d, limit - fp);
            area += width * (tp + width / d * c / 2);
        }
        tp += c;
        fp += d;
    }
    return area / (totals.positives * totals.negatives);
}

double mean_precision(const Blocks& blocks, const double* nodes, const double* weights, std::size_t n_nodes) {
    double sum = 0;
    const ClassTotals totals = over_positive_blocks(blocks, [&](double tp, double fp, double c, double d) {
        double precision = 0;
        for (std::size_t i = 0; i < n_nodes; ++i) {
            const double right = tp + nodes[i] * c, wrong = fp + nodes[i] * d;
            precision += weights[i] * right / (right + wrong);
        }
        sum += c * precision;
    });
    return totals.positives > 0 ? sum / totals.positives : undefined;
}

}  // namespace unconfuse
