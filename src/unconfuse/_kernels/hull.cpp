#include "hull.hpp"

namespace unconfuse {

std::vector<HullPoint> roc_hull(const Blocks& blocks) {
    std::vector<HullPoint> hull{{0, 0, 0}};
    HullPoint at{0, 0, 0};
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        if (c + d <= 0) continue;
        at.tp += c;
        at.fp += d;
        at.blocks = static_cast<std::int64_t>(b) + 1;
        if (c > 0) append_to_hull(hull, at);  // where the curve runs level, only its end can be a vertex
    }
    if (at.blocks > hull.back().blocks) append_to_hull(hull, at);
    return hull;
}

}  // namespace unconfuse
