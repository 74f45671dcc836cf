#include "hull.hpp"

namespace unconfuse {
namespace {

// The last vertex stays only if the curve bends down there.
void append(std::vector<HullPoint>& hull, const HullPoint& next) {
    while (hull.size() >= 2) {
        const HullPoint &last = hull.back(), &before = hull[hull.size() - 2];
        const double old_rise = last.tp - before.tp, old_run = last.fp - before.fp;
        if (old_rise * (next.fp - last.fp) > (next.tp - last.tp) * old_run) break;
        hull.pop_back();
    }
    hull.push_back(next);
}

}  // namespace

std::vector<HullPoint> roc_hull(const Blocks& blocks) {
    std::vector<HullPoint> hull{{0, 0, 0}};
    HullPoint at{0, 0, 0};
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        if (c + d <= 0) continue;
        at.tp += c;
        at.fp += d;
        at.blocks = static_cast<std::int64_t>(b) + 1;
        if (c > 0) append(hull, at);  // where the curve runs level, only its end can be a vertex
    }
    if (at.blocks > hull.back().blocks) append(hull, at);
    return hull;
}

}  // namespace unconfuse
