// How far down the ranking B stays at 1/2, where B is the chance that a positive outranks a labelled case.
#pragma once

#include <limits>
#include <vector>

namespace unconfuse {

// The largest sum of leading parts that is at most `room`.
inline double largest_within(const std::vector<double>& parts, double room) {
    double sum = 0;
    for (const double part : parts) {
        if (sum + part > room) break;
        sum += part;
    }
    return sum;
}

// A set of labelled cases: positives in it, its size, and twice the number of (positive, labelled) pairs won, so that
// B <= 1/2 reads outranked <= P * queue.
struct Labelling {
    static constexpr double slack = 1 + 1e-12;  // weights that are no whole numbers: equality is meant up to rounding
    double tp, queue, outranked;

    // The set with the next block.
    Labelling with(double positives, double negatives) const {
        const double size = positives + negatives;
        return {tp + positives, queue + size, outranked + size * (2 * tp + positives)};
    }

    bool is_beyond_half(double P) const { return outranked > P * queue * slack; }

    // Its precision with as many of the negatives that follow, in these parts, as keep B at 1/2 or below.
    double precision_with(const std::vector<double>& parts, double P) const {
        const double room = (P * queue * slack - outranked) / (2 * tp - P * slack);
        return tp / (queue + largest_within(parts, room * slack));
    }

    // The same where positives follow.
    double precision_within(const std::vector<double>& parts, double P) const {
        Labelling set = *this;
        for (const double part : parts) {
            const Labelling next{set.tp + part, set.queue + part, set.outranked + part * (2 * set.tp + part)};
            if (next.is_beyond_half(P)) break;
            set = next;
        }
        return set.tp / set.queue;
    }

    // Its precision if it holds all cases, and NaN if B stays below 1/2 even so.
    double precision_of_all(double P) const {
        return outranked * slack >= P * queue ? tp / queue : std::numeric_limits<double>::quiet_NaN();
    }
};

}  // namespace unconfuse
