#include "untied_areas.hpp"

#include <algorithm>
#include <limits>

#include "ranks.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
#define UNCONFUSE_HAS_AVX2_PATH 1
#endif
#if defined(__GNUC__)
#define UNCONFUSE_INLINE inline __attribute__((always_inline))  // so that the AVX2 path compiles its own copy
#else
#define UNCONFUSE_INLINE inline
#endif

namespace unconfuse {
namespace {

constexpr std::size_t lanes = 4;

struct Sums {
    double above = 0;         // negatives above each positive
    double precision = 0;     // at each positive, for average precision
    double interpolated = 0;  // twice the Davis-Goadrich area, times the number of positives
};

// As if every drawn block were drawn once. A positive with t positives and f negatives above it adds (t+1)/(t+1+f) to
// average precision and t/(t+f) + (t+1)/(t+1+f) to twice the Davis-Goadrich area. Both fractions come from a single
// division by (t+f)(t+f+1), which the caller keeps from being 0.
UNCONFUSE_INLINE void add_single(double copies, double t, double f, double& above, double& precision,
                                 double& interpolated) {
    const double labelled = t + f, next = labelled + 1, drawn = copies > 0 ? 1.0 : 0.0;
    const double share = drawn / (labelled * next), after = (t + 1) * labelled * share;
    above += copies * f;
    precision += after;
    interpolated += t * next * share + after;
}

UNCONFUSE_INLINE Sums sum_of_single_copies(const double* copies, const double* t, const double* f, std::size_t n) {
    double above[lanes] = {}, precision[lanes] = {}, interpolated[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t l = 0; l < lanes; ++l)
            add_single(copies[i + l], t[i + l], f[i + l], above[l], precision[l], interpolated[l]);
    for (; i < n; ++i) add_single(copies[i], t[i], f[i], above[0], precision[0], interpolated[0]);
    Sums sums;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums.above += above[lane];
        sums.precision += precision[lane];
        sums.interpolated += interpolated[lane];
    }
    return sums;
}

Sums portable_sums(const double* copies, const double* t, const double* f, std::size_t n) {
    return sum_of_single_copies(copies, t, f, n);
}

#ifdef UNCONFUSE_HAS_AVX2_PATH
// The same sums in the same order (no fused multiply-add), so both paths give the same bits.
__attribute__((target("avx2"))) Sums avx2_sums(const double* copies, const double* t, const double* f, std::size_t n) {
    return sum_of_single_copies(copies, t, f, n);
}
#endif

Sums fastest_sums(const double* copies, const double* t, const double* f, std::size_t n) {
#ifdef UNCONFUSE_HAS_AVX2_PATH
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return avx2_sums(copies, t, f, n);
#endif
    return portable_sums(copies, t, f, n);
}

// What the second and later copies of a block add.
void add_repeated(double copies, double t, double f, Sums& sums) {
    const double single = (t + 1) / (t + 1 + f), last = (t + copies) / (t + copies + f);
    sums.precision += copies * last - single;
    double inner = 0;
    for (double rank = t + 2; rank < t + copies; ++rank) inner += rank / (rank + f);
    sums.interpolated += single + 2 * inner + last;
}

}  // namespace

void UntiedAreas::evaluate(const std::uint32_t* positives, const std::uint32_t* gaps, std::size_t n_positive_blocks,
                           double* values) {
    copies_.resize(n_positive_blocks);
    positives_above_.resize(n_positive_blocks);
    negatives_above_.resize(n_positive_blocks);
    repeated_.resize(n_positive_blocks);
    std::uint64_t tp = 0, fp = 0;
    std::size_t n_repeated = 0, n_on_top = 0;  // blocks before the first negative and the first positive
    for (std::size_t b = 0; b < n_positive_blocks; ++b) {
        fp += gaps[b];
        n_on_top += tp + fp == 0 ? 1 : 0;
        copies_[b] = positives[b];
        positives_above_[b] = static_cast<double>(static_cast<std::int64_t>(tp));
        negatives_above_[b] = static_cast<double>(static_cast<std::int64_t>(fp));
        repeated_[n_repeated] = static_cast<std::uint32_t>(b);
        n_repeated += positives[b] > 1 ? 1 : 0;
        tp += positives[b];
    }
    fp += gaps[n_positive_blocks];
    if (tp == 0 || fp == 0) {
        std::fill(values, values + auprc_davis_goadrich + 1, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    Sums sums = fastest_sums(copies_.data() + n_on_top, positives_above_.data() + n_on_top,
                             negatives_above_.data() + n_on_top, n_positive_blocks - n_on_top);
    if (n_on_top > 0 && copies_[n_on_top - 1] > 0) {  // the best case of all is positive: 0/0 := 1
        sums.precision += 1;
        sums.interpolated += 2;
    }
    for (std::size_t i = 0; i < n_repeated; ++i) {
        const std::uint32_t b = repeated_[i];
        add_repeated(copies_[b], positives_above_[b], negatives_above_[b], sums);
    }
    const double P = static_cast<double>(tp), N = static_cast<double>(fp);
    values[auroc] = 1 - sums.above / (P * N);
    values[average_precision] = sums.precision / P;
    values[auprc_davis_goadrich] = sums.interpolated / (2 * P);
}

}  // namespace unconfuse
