// The convex hull of the ROC curve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks.hpp"

namespace unconfuse {

struct HullPoint {
    double fp, tp;
    std::int64_t blocks;  // labelled positive
};

// Vertices of the upper hull of the points (fp, tp) after 0, 1, ..., blocks.size blocks. Points on an edge are
// left out.
std::vector<HullPoint> roc_hull(const Blocks& blocks);

}  // namespace unconfuse
