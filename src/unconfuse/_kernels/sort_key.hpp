// Doubles as integers in descending order of the double, for sorting by digits.
#pragma once

#include <cstdint>
#include <cstring>

namespace unconfuse {

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// -0.0 has the key of 0.0.
inline std::uint64_t descending_key(double value) {
    value += 0.0;
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint64_t ascending = (bits & sign_bit) ? ~bits : (bits | sign_bit);
    return ~ascending;
}

inline double value_of_key(std::uint64_t key) {
    const std::uint64_t ascending = ~key;
    const std::uint64_t bits = (ascending & sign_bit) ? (ascending & ~sign_bit) : ~ascending;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace unconfuse
