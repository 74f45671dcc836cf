// The convex hull of the ROC curve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "corners.hpp"
#include "ranks.hpp"

namespace unconfuse {

struct HullPoint {
    double fp, tp;
    std::int64_t blocks;  // labelled positive
};

// Adds the next point of the curve to its upper hull; the last vertex stays only if the curve bends down there.
inline void append_to_hull(std::vector<HullPoint>& hull, const HullPoint& next) {
    while (hull.size() >= 2) {
        const HullPoint &last = hull.back(), &before = hull[hull.size() - 2];
        const double old_rise = last.tp - before.tp, old_run = last.fp - before.fp;
        if (old_rise * (next.fp - last.fp) > (next.tp - last.tp) * old_run) break;
        hull.pop_back();
    }
    hull.push_back(next);
}

// The hull of a curve that is seen piece by piece.
class RocHull {
public:
    void start_again() { hull_.assign(1, {0, 0, 0}); }

    void see(const HullPoint& next) { append_to_hull(hull_, next); }

    void see(const Corners& at) {
        HullPoint points[Corners::room];
        for (std::size_t i = 0; i < at.size; ++i)
            points[i] = {at.fp[i] + at.negatives[i], at.tp[i] + at.positives[i], 0};
        const std::size_t kept = without_dents(points, without_dents(points, at.size));
        for (std::size_t i = 0; i < kept; ++i) append_to_hull(hull_, points[i]);
    }

    // All of them, from (0, 0) to the end of the curve.
    const std::vector<HullPoint>& vertices(ClassTotals totals) {
        if (hull_.back().fp < totals.negatives) append_to_hull(hull_, {totals.negatives, totals.positives, 0});
        return hull_;
    }

private:
    // Leaves out points that lie on or below the line between their neighbours: they are no vertices, and about half of
    // a noisy curve is. Without a branch, which would be mispredicted.
    static std::size_t without_dents(HullPoint* points, std::size_t n) {
        if (n < 3) return n;
        std::size_t kept = 1;
        HullPoint before = points[0], at = points[1];
        for (std::size_t i = 2; i < n; ++i) {
            const HullPoint after = points[i];
            points[kept] = at;
            kept += (at.tp - before.tp) * (after.fp - at.fp) > (after.tp - at.tp) * (at.fp - before.fp) ? 1 : 0;
            before = at;
            at = after;
        }
        points[kept] = at;
        return kept + 1;
    }

    std::vector<HullPoint> hull_{{0, 0, 0}};
};

// Vertices of the upper hull of the points (fp, tp) after 0, 1, ..., blocks.size blocks. Points on an edge are
// left out.
std::vector<HullPoint> roc_hull(const Blocks& blocks);

}  // namespace unconfuse
