// Random numbers that depend on (seed, replicate, stream) only, so that threads, slices and order never show.
#pragma once

#include <cstdint>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace unconfuse {

// The finaliser of splitmix64: every input bit reaches every output bit.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

struct WideProduct {
    std::uint64_t high, low;
};

inline WideProduct wide_multiply(std::uint64_t a, std::uint64_t b) {
#if defined(_MSC_VER) && !defined(__clang__)
    WideProduct product;
    product.low = _umul128(a, b, &product.high);
    return product;
#else
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#endif
}

// xoshiro256++ (Blackman and Vigna).
class Generator {
public:
    // Seed, replicate and stream are mixed one after the other. Adding a multiple of the replicate to the seed instead
    // would make neighbouring replicates share most of their stream.
    Generator(std::uint64_t seed, std::uint64_t replicate, std::uint64_t stream) {
        std::uint64_t hash = mix(seed + 0x9E3779B97F4A7C15ull);
        hash = mix(hash ^ mix(replicate + 0xD1B54A32D192ED03ull));
        hash = mix(hash ^ mix(stream + 0x8CB92BA72F3D8DD7ull));
        for (auto& word : state_) word = mix(hash += 0x9E3779B97F4A7C15ull);
    }

    std::uint64_t bits() {
        const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Uniform on [0, 1).
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    // Uniform on 0, ..., n - 1, up to n / 2^64.
    std::uint64_t below(std::uint64_t n) { return wide_multiply(bits(), n).high; }

private:
    static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
    std::uint64_t state_[4];
};

}  // namespace unconfuse
