#include "hull.hpp"

namespace unconfuse {

std::vector<std::int64_t> roc_hull(const Blocks& blocks) {
    struct Point {
        double fp, tp;
        std::int64_t blocks;
    };
    std::vector<Point> hull{{0, 0, 0}};
    double tp = 0, fp = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        if (blocks.positives[b] + blocks.negatives[b] <= 0) continue;
        tp += blocks.positives[b];
        fp += blocks.negatives[b];
        // The last vertex stays only if the curve bends down there.
        while (hull.size() >= 2) {
            const Point &last = hull.back(), &before = hull[hull.size() - 2];
            const double old_rise = last.tp - before.tp, old_run = last.fp - before.fp;
            if (old_rise * (fp - last.fp) > (tp - last.tp) * old_run) break;
            hull.pop_back();
        }
        hull.push_back({fp, tp, static_cast<std::int64_t>(b) + 1});
    }
    std::vector<std::int64_t> vertices;
    vertices.reserve(hull.size());
    for (const Point& point : hull) vertices.push_back(point.blocks);
    return vertices;
}

}  // namespace unconfuse
