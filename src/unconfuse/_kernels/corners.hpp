// The corners of the curves of a ranking: blocks that hold positives, and what lies above each. Between them recall
// stands still.
#pragma once

#include <cstddef>

#include "lanes.hpp"
#include "ranks.hpp"

namespace unconfuse {

template <typename Number>
struct CornerOf {
    Number tp, fp;                // above the block
    Number positives, negatives;  // in it

    UNCONFUSE_INLINE Number tp_after() const { return tp + positives; }
    UNCONFUSE_INLINE Number fp_after() const { return fp + negatives; }
};
using Corner = CornerOf<double>;

// A piece of them, in columns: 8 KB, which stay in the nearest cache while all metrics look at them.
struct Corners {
    static constexpr std::size_t room = 256;
    double tp[room], fp[room], positives[room], negatives[room];
    std::size_t size = 0;

    Corner operator[](std::size_t i) const { return {tp[i], fp[i], positives[i], negatives[i]}; }
};

// Calls see(corners) for all corners, piece by piece, best scores first. In resamples it is a coin toss whether a block
// holds positives, so every block is written and only the place moves: no branch to mispredict.
template <typename See>
void over_corners(const Blocks& blocks, See see) {
    Corners corners;
    std::size_t n = 0;
    double tp = 0, fp = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        corners.tp[n] = tp;
        corners.fp[n] = fp;
        corners.positives[n] = c;
        corners.negatives[n] = d;
        n += c > 0 ? 1 : 0;
        tp += c;
        fp += d;
        if (n == Corners::room) {
            corners.size = n;
            see(corners);
            n = 0;
        }
    }
    corners.size = n;
    see(corners);
}

}  // namespace unconfuse
