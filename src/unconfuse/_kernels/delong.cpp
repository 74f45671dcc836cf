#include "delong.hpp"

#include <limits>

namespace unconfuse {
namespace {

struct Weights {
    double c, d;  // of the positives, of the negatives
};

Weights with(Added added, double c, double d) { return {c + added.positives * d, d + added.negatives * c}; }

Weights block(const Blocks& blocks, std::size_t b) { return {blocks.positives[b], blocks.negatives[b]}; }

Weights block(const CountedBlocks& blocks, std::size_t b) {
    return {static_cast<double>(blocks.counts[b].positives), static_cast<double>(blocks.counts[b].negatives)};
}

// Calls visit(in block, above block) with what is added. The running sums are those of the table itself: adding up tiny
// shares one by one would round millions of times in the same direction.
template <typename SomeBlocks, typename Visit>
void over_blocks(const SomeBlocks& blocks, Added added, Visit visit) {
    double tp = 0, fp = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const auto [c, d] = block(blocks, b);
        visit(with(added, c, d), with(added, tp, fp));
        tp += c;
        fp += d;
    }
}

template <typename SomeBlocks>
PlacementMoments moments_of(const SomeBlocks& blocks, Added added) {
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    const ClassTotals own = totals_of(blocks);
    const auto [P, N] = with(added, own.positives, own.negatives);
    if (!(P > 0 && N > 0)) return {undefined, undefined, undefined, undefined, P, N};
    double pairs = 0, tied_pairs = 0;
    over_blocks(blocks, added, [&](Weights in, Weights above) {
        pairs += in.d * (above.c + in.c / 2);
        tied_pairs += in.c * in.d;
    });
    const double area = pairs / (P * N);
    // A second pass, because squares less the squared mean would cancel when the area is near 1.
    double of_positives = 0, of_negatives = 0;
    over_blocks(blocks, added, [&, P = P, N = N](Weights in, Weights above) {
        const double positive = (N - above.d - in.d / 2) / N - area, negative = (above.c + in.c / 2) / P - area;
        of_positives += in.c * positive * positive;
        of_negatives += in.d * negative * negative;
    });
    const double squared_pairs = (pairs - tied_pairs / 4) / (P * N);  // a tie counts 1/4, not 1/2
    return {area, of_positives / P, of_negatives / N, squared_pairs - area * area, P, N};
}

}  // namespace

PlacementMoments placement_moments(const Blocks& blocks, Added added) { return moments_of(blocks, added); }

PlacementMoments placement_moments(const CountedBlocks& blocks, Added added) { return moments_of(blocks, added); }

}  // namespace unconfuse
