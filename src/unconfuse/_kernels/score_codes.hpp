// Scores as small integers in descending order of the score, and back: equal scores, and only they, have equal codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace unconfuse {

// A double's bits without the sign are an integer that grows with its size, so signed they are in the order of the
// numbers; -0.0 and 0.0 both become 0. The gap between 0 and the smallest number of each sign is most of the range and
// is left out: scores that span a few powers of two differ in their codes' first digits.
class ScoreCodes {
public:
    ScoreCodes(const double* score, std::size_t n) {
        if (n == 0) return;
        std::int64_t highest = ordered(score[0]), lowest = highest;
        std::uint64_t over_zero = ~std::uint64_t{0}, under_zero = over_zero;  // of numbers of the other sign: huge
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t value = ordered(score[i]);
            highest = std::max(highest, value);
            lowest = std::min(lowest, value);
            over_zero = std::min(over_zero, static_cast<std::uint64_t>(value) - 1);
            under_zero = std::min(under_zero, std::uint64_t{0} - static_cast<std::uint64_t>(value) - 1);
        }
        gap_over_zero_ = highest > 0 ? over_zero : 0;
        gap_under_zero_ = lowest < 0 ? under_zero : 0;
        top_ = squeezed(highest);
        for (std::uint64_t span = top_ - squeezed(lowest); span > 0; span >>= 1) ++width_;
    }

    unsigned width() const { return width_; }  // in bits: from 0, if all scores are the same, to 64

    std::uint64_t code(double score) const { return top_ - squeezed(ordered(score)); }

    double score(std::uint64_t code) const {
        const std::uint64_t value = top_ - code;
        const std::uint64_t ordered = value + (gap_over_zero_ & over(value)) - (gap_under_zero_ & under(value));
        const std::uint64_t minus = under(ordered), bits = ((ordered ^ minus) - minus) | (minus & sign_bit);
        double found;
        std::memcpy(&found, &bits, sizeof found);
        return found;
    }

private:
    static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

    // All bits where the integer, taken as a signed one, is below 0, or above it; arithmetic instead of branches,
    // because the sign of the next score is a coin toss.
    static std::uint64_t under(std::uint64_t value) { return std::uint64_t{0} - (value >> 63); }
    static std::uint64_t over(std::uint64_t value) { return under(std::uint64_t{0} - value); }

    static std::int64_t ordered(double score) {
        std::uint64_t bits;
        std::memcpy(&bits, &score, sizeof bits);
        const std::uint64_t minus = under(bits);
        return static_cast<std::int64_t>(((bits & ~sign_bit) ^ minus) - minus);
    }

    std::uint64_t squeezed(std::int64_t value) const {
        const auto bits = static_cast<std::uint64_t>(value);
        return bits - (gap_over_zero_ & over(bits)) + (gap_under_zero_ & under(bits));
    }

    std::uint64_t gap_over_zero_ = 0, gap_under_zero_ = 0, top_ = 0;
    unsigned width_ = 0;
};

}  // namespace unconfuse
