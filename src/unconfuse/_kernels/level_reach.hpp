// Where B(r), the chance that a positive outranks a labelled case, crosses a level, and how far around the crossing it
// cannot be told from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ranks.hpp"

namespace unconfuse {

struct LevelAsked {
    double level, reach;  // the latter in standard errors
    bool cohort, exclude_self;
};

// Blocks `first` to `last`; `at` ends the largest labelled set with B <= level (-1: nowhere). `tied`: so many cases
// share the next score that B jumps over the level by half of its standard error.
struct LevelReach {
    std::int64_t first, at, last;
    bool tied;
};

// The last block of the largest labelled set with B <= level; -1 if there is none or if B never reaches the level.
std::int64_t last_at_level(const Blocks& blocks, double level, bool exclude_self);

LevelReach reach_of_level(const Blocks& blocks, const LevelAsked& asked);

}  // namespace unconfuse
