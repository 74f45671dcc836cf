#include "score_tree.hpp"

#include <cstdint>
#include <cstring>

namespace unconfuse {
namespace {

// Numbers in the order of the scores, whose leading bits are the path through the tree.
std::uint64_t path_of(double score) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const double whole = score + 0.0;  // -0.0 and 0.0 are one score
    std::uint64_t bits;
    std::memcpy(&bits, &whole, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

// A node of which not all scores have come: where two neighbours part in it, and the weight before its first score.
struct OpenNode {
    std::uint64_t parting;  // the bits in which they differ
    std::size_t place;
    double before;
};

// Whether the highest bit of one is above that of the other.
bool is_higher(std::uint64_t one, std::uint64_t other) { return other < one && other < (other ^ one); }

}  // namespace

void node_weights(const double* score, const double* weight, std::size_t n, double* held) {
    if (n < 2) return;
    OpenNode open[65];  // each lies in the one before, so their highest bits descend: never more than there are bits
    std::size_t depth = 0;
    double before = 0, reached = weight[0];
    std::uint64_t path = path_of(score[0]);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const std::uint64_t next = path_of(score[i + 1]), parting = path ^ next;
        double start = before;
        for (; depth > 0 && !is_higher(open[depth - 1].parting, parting); --depth) {
            const OpenNode& ended = open[depth - 1];
            held[ended.place] = reached - ended.before;
            start = ended.before;
        }
        open[depth++] = {parting, i, start};
        before = reached;
        reached += weight[i + 1];
        path = next;
    }
    for (; depth > 0; --depth) held[open[depth - 1].place] = reached - open[depth - 1].before;
}

}  // namespace unconfuse
