// The moments behind DeLong's and the exact bootstrap's variance of the AUROC.
#pragma once

#include <cstddef>

#include "ranks.hpp"

namespace unconfuse {

// A positive's placement is the share of negatives that it outranks, a negative's the share of positives that outrank
// it; ties count half. Variances have the total weight as divisor (ddof 0).
struct PlacementMoments {
    double auroc;
    double positive_variance, negative_variance;  // of the placements
    double pair_variance;                         // of a single pair's 0, 1/2 or 1
    double positives, negatives;                  // total weights
};

// Added to each block: so many positives for each of its negatives, and so many negatives for each of its positives.
struct Added {
    double positives, negatives;
};

PlacementMoments placement_moments(const Blocks& blocks, Added added);
PlacementMoments placement_moments(const CountedBlocks& blocks, Added added);

}  // namespace unconfuse
