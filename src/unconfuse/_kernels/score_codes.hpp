// Scores as small integers in descending order of the score, and back: equal scores, and only they, have equal codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "in_vectors.hpp"

namespace unconfuse {

// A double's bits without the sign are an integer that grows with its size, so signed they are in the order of the
// numbers; -0.0 and 0.0 both become 0.
inline std::int64_t ordered_bits(double score) {
    constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
    std::uint64_t bits;
    std::memcpy(&bits, &score, sizeof bits);
    const std::uint64_t minus = std::uint64_t{0} - (bits >> 63);
    return static_cast<std::int64_t>(((bits & ~sign_bit) ^ minus) - minus);
}

inline double score_of_ordered(std::int64_t value) {
    constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
    const auto own = static_cast<std::uint64_t>(value);
    const std::uint64_t minus = std::uint64_t{0} - (own >> 63), bits = ((own ^ minus) - minus) | (minus & sign_bit);
    double found;
    std::memcpy(&found, &bits, sizeof found);
    return found;
}

// What scores span, and how far the nearest of each sign lie from 0.
struct ScoreExtent {
    std::int64_t highest = std::numeric_limits<std::int64_t>::min(), lowest = std::numeric_limits<std::int64_t>::max();
    std::uint64_t over_zero = ~std::uint64_t{0}, under_zero = over_zero;  // of numbers of the other sign: huge

    static ScoreExtent of(const double* score, std::size_t n) {
        return in_vectors([=]() UNCONFUSE_LOOP {
            ScoreExtent found;
            for (std::size_t i = 0; i < n; ++i) {
                const std::int64_t value = ordered_bits(score[i]);
                const auto bits = static_cast<std::uint64_t>(value);
                found.join({value, value, bits - 1, std::uint64_t{0} - bits - 1});
            }
            return found;
        });
    }

    void join(const ScoreExtent& other) {
        highest = std::max(highest, other.highest);
        lowest = std::min(lowest, other.lowest);
        over_zero = std::min(over_zero, other.over_zero);
        under_zero = std::min(under_zero, other.under_zero);
    }
};

// The bits of scores without the gap between 0 and the smallest number of each sign, which is most of their range:
// scores that span a few powers of two differ in their codes' first digits.
class ScoreCodes {
public:
    ScoreCodes(const double* score, std::size_t n) : ScoreCodes(ScoreExtent::of(score, n)) {}

    explicit ScoreCodes(const ScoreExtent& extent) {
        if (extent.highest < extent.lowest) return;  // of no scores
        gap_over_zero_ = extent.highest > 0 ? extent.over_zero : 0;
        gap_under_zero_ = extent.lowest < 0 ? extent.under_zero : 0;
        top_ = squeezed(extent.highest);
        for (std::uint64_t span = top_ - squeezed(extent.lowest); span > 0; span >>= 1) ++width_;
    }

    unsigned width() const { return width_; }  // in bits: from 0, if all scores are the same, to 64

    std::uint64_t code(double score) const { return top_ - squeezed(ordered_bits(score)); }

    double score(std::uint64_t code) const {
        const std::uint64_t bits = score_bits(code);
        double found;
        std::memcpy(&found, &bits, sizeof found);
        return found;
    }

    std::uint64_t score_bits(std::uint64_t code) const {
        const std::uint64_t value = top_ - code;
        const std::uint64_t ordered = value + (gap_over_zero_ & over(value)) - (gap_under_zero_ & under(value));
        const std::uint64_t minus = under(ordered);
        return ((ordered ^ minus) - minus) | (minus & sign_bit);
    }

private:
    static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

    // All bits where the integer, taken as a signed one, is below 0, or above it; arithmetic instead of branches,
    // because the sign of the next score is a coin toss.
    static std::uint64_t under(std::uint64_t value) { return std::uint64_t{0} - (value >> 63); }
    static std::uint64_t over(std::uint64_t value) { return under(std::uint64_t{0} - value); }

    std::uint64_t squeezed(std::int64_t value) const {
        const auto bits = static_cast<std::uint64_t>(value);
        return bits - (gap_over_zero_ & over(bits)) + (gap_under_zero_ & under(bits));
    }

    std::uint64_t gap_over_zero_ = 0, gap_under_zero_ = 0, top_ = 0;
    unsigned width_ = 0;
};

}  // namespace unconfuse
