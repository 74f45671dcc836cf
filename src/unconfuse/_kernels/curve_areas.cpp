#include "curve_areas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "incomplete_beta.hpp"

namespace unconfuse {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

struct Segment {
    double positives, negatives;
};

// What lies between a vertex of the hull and the one before it; after the last of them, everything.
Segment segment_of(const std::vector<HullPoint>& hull, std::size_t i, ClassTotals totals) {
    if (i == hull.size()) return {totals.positives, totals.negatives};
    return {hull[i].tp - hull[i - 1].tp, hull[i].fp - hull[i - 1].fp};
}

}  // namespace

double hull_area(const std::vector<HullPoint>& hull, ClassTotals totals) {
    double area = 0;
    for (std::size_t i = 1; i < hull.size(); ++i)
        area += (hull[i].fp - hull[i - 1].fp) * (hull[i].tp - (hull[i].tp - hull[i - 1].tp) / 2);
    return area / (totals.positives * totals.negatives);
}

double saved_loss(const std::vector<HullPoint>& hull, ClassTotals totals) {
    constexpr double circle_half = 3.14159265358979323846;
    const double share = totals.positives / (totals.positives + totals.negatives), a = 1 + share, b = 2 - share;
    // B(1 + q, 2 - q) = q (1 - q) Gamma(q) Gamma(1 - q) / 2, and Gamma(q) Gamma(1 - q) = pi / sin(pi q).
    const double log_beta = std::log(share * (1 - share) * circle_half / (2 * std::sin(circle_half * share)));
    std::vector<double> shares;
    for (std::size_t i = 1; i <= hull.size(); ++i) {
        const Segment segment = segment_of(hull, i, totals);
        shares.push_back(segment.positives / (segment.positives + segment.negatives));
    }
    std::vector<BetaTails> tails(shares.size());
    beta_tails(a, b, log_beta, shares.data(), shares.size(), tails.data());
    // A segment's negatives cost c where c is below its share of positives, its positives 1 - c above it.
    const auto loss = [&](std::size_t i) {
        const Segment segment = segment_of(hull, i, totals);
        const BetaTails own = tails[i - 1];
        return (segment.negatives * a * own.below + segment.positives * b * own.above) / (a + b);
    };
    double sum = 0;
    for (std::size_t i = 1; i < hull.size(); ++i) sum += loss(i);
    return 1 - sum / loss(hull.size());
}

void write_of_hull(const std::vector<HullPoint>& hull, ClassTotals totals, Wanted wanted, double* values) {
    if (wanted & bit(auch)) values[auch] = hull_area(hull, totals);
    if (wanted & bit(h_measure)) values[h_measure] = saved_loss(hull, totals);
}

double partial_area(const Blocks& blocks, double max_fpr) {
    const ClassTotals totals = totals_of(blocks);
    if (!(totals.positives > 0 && totals.negatives > 0)) return undefined;
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
    double sum = 0, tp = 0;
    over_corners(blocks, [&](const Corners& corners) {
        for (std::size_t k = 0; k < corners.size; ++k) {
            const Corner at = corners[k];
            double precision = 0;
            for (std::size_t i = 0; i < n_nodes; ++i) {
                const double right = at.tp + nodes[i] * at.positives, wrong = at.fp + nodes[i] * at.negatives;
                precision += weights[i] * right / (right + wrong);
            }
            sum += at.positives * precision;
            tp = at.tp_after();
        }
    });
    return tp > 0 ? sum / tp : undefined;
}

}  // namespace unconfuse
