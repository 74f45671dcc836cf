// Loops over whole numbers in vectors of four, where the processor has them; the results are the same.
#pragma once

#if defined(__GNUC__) && defined(__x86_64__)
#define UNCONFUSE_HAS_AVX2_PATH 1
#define UNCONFUSE_LOOP __attribute__((always_inline))  // of a lambda, which is then compiled once for each path
#else
#define UNCONFUSE_LOOP
#endif

namespace unconfuse {

#ifdef UNCONFUSE_HAS_AVX2_PATH
template <typename Loop>
__attribute__((target("avx2"))) auto in_wide_vectors(const Loop loop) {
    return loop();
}
#endif

// Calls loop(). It is a copy, so that the compiler sees that nothing the loop writes is part of it.
template <typename Loop>
auto in_vectors(const Loop loop) {
#ifdef UNCONFUSE_HAS_AVX2_PATH
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return in_wide_vectors(loop);
#endif
    return loop();
}

}  // namespace unconfuse
