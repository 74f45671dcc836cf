// Some numbers that are worked on side by side, one for each of as many tables: four where the compiler knows vectors,
// otherwise one. What is written for a `Number` serves a single double too.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__GNUC__)
#define UNCONFUSE_INLINE inline __attribute__((always_inline))  // compiled with its caller, for the caller's processor
#else
#define UNCONFUSE_INLINE inline
#endif

namespace unconfuse {

UNCONFUSE_INLINE double choose(bool which, double yes, double no) { return which ? yes : no; }
UNCONFUSE_INLINE double lane(double value, std::size_t) { return value; }
UNCONFUSE_INLINE bool is_set(bool which, std::size_t) { return which; }

#if defined(__GNUC__)
constexpr std::size_t n_lanes = 4;
using Lanes = double __attribute__((vector_size(n_lanes * sizeof(double))));
using LaneMask = decltype(Lanes{} > Lanes{});
UNCONFUSE_INLINE Lanes choose(LaneMask which, Lanes yes, Lanes no) { return which ? yes : no; }
UNCONFUSE_INLINE double lane(Lanes values, std::size_t k) { return values[k]; }
UNCONFUSE_INLINE bool is_set(LaneMask which, std::size_t k) { return which[k] != 0; }
#else
constexpr std::size_t n_lanes = 1;
using Lanes = double;
using LaneMask = bool;
#endif

UNCONFUSE_INLINE Lanes lanes_at(const double* numbers) {
    Lanes found;
    std::memcpy(&found, numbers, sizeof found);
    return found;
}

UNCONFUSE_INLINE void write_lanes(double* place, const Lanes& numbers) { std::memcpy(place, &numbers, sizeof numbers); }

template <typename Mask>
UNCONFUSE_INLINE bool any(const Mask& which) {
    bool found = false;
    for (std::size_t k = 0; k < n_lanes; ++k) found = found || is_set(which, k);
    return found;
}

// The same number in every lane.
template <typename Number>
UNCONFUSE_INLINE Number each(double value) {
    return Number{} + value;
}

template <typename Number>
UNCONFUSE_INLINE Number larger(const Number& one, const Number& other) {
    return choose(one > other, one, other);
}

template <typename Number>
UNCONFUSE_INLINE Number magnitude(const Number& value) {
    return larger<Number>(value, 0.0 - value);
}

}  // namespace unconfuse
