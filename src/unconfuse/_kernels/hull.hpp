// The convex hull of the ROC curve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks.hpp"

namespace unconfuse {

// Vertices of the upper hull of the points (fp, tp) after 0, 1, ..., blocks.size blocks, as numbers of blocks. Points on
// an edge are left out.
std::vector<std::int64_t> roc_hull(const Blocks& blocks);

}  // namespace unconfuse
