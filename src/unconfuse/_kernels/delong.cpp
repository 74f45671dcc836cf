#include "delong.hpp"

#include <limits>

namespace unconfuse {

PlacementMoments placement_moments(const Blocks& blocks, Added added) {
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    const auto [own_positives, own_negatives] = totals_of(blocks);
    const double P = own_positives + added.positives * own_negatives, N = own_negatives + added.negatives * own_positives;
    if (!(P > 0 && N > 0)) return {undefined, undefined, undefined, undefined, P, N};
    struct Block {
        double c, d;
    };
    const auto block = [&](std::size_t b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        return Block{c + added.positives * d, d + added.negatives * c};
    };
    double tp = 0, pairs = 0, tied_pairs = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const auto [c, d] = block(b);
        pairs += d * (tp + c / 2);
        tied_pairs += c * d;
        tp += c;
    }
    const double area = pairs / (P * N);
    // A second pass, because squares less the squared mean would cancel when the area is near 1.
    double above = 0, fp = 0, of_positives = 0, of_negatives = 0;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const auto [c, d] = block(b);
        const double positive = (N - fp - d / 2) / N - area, negative = (above + c / 2) / P - area;
        of_positives += c * positive * positive;
        of_negatives += d * negative * negative;
        above += c;
        fp += d;
    }
    const double squared_pairs = (pairs - tied_pairs / 4) / (P * N);  // a tie counts 1/4, not 1/2
    return {area, of_positives / P, of_negatives / N, squared_pairs - area * area, P, N};
}

}  // namespace unconfuse
