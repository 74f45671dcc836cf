#include "untied_areas.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "ranks.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
#define UNCONFUSE_HAS_AVX2_PATH 1
#include <immintrin.h>
#endif

namespace unconfuse {
namespace {

constexpr std::size_t lanes = 4;

struct DrawnPositives {
    const std::int32_t *negatives_above, *last_rank;
    std::size_t size;
};

struct Sums {
    double above = 0;         // negatives above each positive
    double precision = 0;     // at each positive, for average precision
    double interpolated = 0;  // twice the Davis-Goadrich area, times the number of positives
};

// One value for each lane: positive i goes to lane i modulo 4, on every machine, so that all give the same bits.
struct LaneSums {
    double above[lanes] = {}, precision[lanes] = {}, interpolated[lanes] = {};

    // A positive with t positives and f negatives above it adds t/(t+f) + (t+1)/(t+1+f) to twice the Davis-Goadrich
    // area. Both fractions come from a single division; t + f must not be 0.
    void add(std::size_t lane, double t, double f, double rank) {
        const double x = t + f, y = x + 1;
        above[lane] += f;
        precision[lane] += rank / (rank + f);
        interpolated[lane] += (t * y + (t + 1) * x) / (x * y);
    }

    void add_from(const DrawnPositives& drawn, std::size_t first) {
        for (std::size_t i = first; i < drawn.size; ++i)
            add(i % lanes, static_cast<double>(i), drawn.negatives_above[i], drawn.last_rank[i]);
    }

    Sums total() const {
        const auto sum = [](const double* lane) { return (lane[0] + lane[1]) + (lane[2] + lane[3]); };
        return {sum(above), sum(precision), sum(interpolated)};
    }
};

// The best positive has 0/0 := 1 if nothing is above it; the next three fill the lanes.
LaneSums first_four(const DrawnPositives& drawn) {
    LaneSums sums;
    const double f = drawn.negatives_above[0], rank = drawn.last_rank[0];
    sums.above[0] = f;
    sums.precision[0] = rank / (rank + f);
    sums.interpolated[0] = f > 0 ? 1 / (1 + f) : 2;
    sums.add_from({drawn.negatives_above, drawn.last_rank, std::min(lanes, drawn.size)}, 1);
    return sums;
}

Sums portable_sums(const DrawnPositives& drawn) {
    LaneSums sums = first_four(drawn);
    sums.add_from(drawn, lanes);
    return sums.total();
}

#ifdef UNCONFUSE_HAS_AVX2_PATH
__attribute__((target("avx2"))) inline __m256d four_doubles(const std::int32_t* integers) {
    return _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(integers)));
}

// LaneSums::add for four positives at once, operation by operation.
__attribute__((target("avx2"))) Sums avx2_sums(const DrawnPositives& drawn) {
    LaneSums sums = first_four(drawn);
    __m256d above = _mm256_loadu_pd(sums.above), precision = _mm256_loadu_pd(sums.precision);
    __m256d interpolated = _mm256_loadu_pd(sums.interpolated);
    const __m256d one = _mm256_set1_pd(1.0), four = _mm256_set1_pd(4.0);
    __m256d t = _mm256_setr_pd(4.0, 5.0, 6.0, 7.0);
    std::size_t i = lanes;
    for (; i + lanes <= drawn.size; i += lanes, t = _mm256_add_pd(t, four)) {
        const __m256d f = four_doubles(drawn.negatives_above + i), rank = four_doubles(drawn.last_rank + i);
        const __m256d x = _mm256_add_pd(t, f), y = _mm256_add_pd(x, one);
        const __m256d both = _mm256_add_pd(_mm256_mul_pd(t, y), _mm256_mul_pd(_mm256_add_pd(t, one), x));
        above = _mm256_add_pd(above, f);
        precision = _mm256_add_pd(precision, _mm256_div_pd(rank, _mm256_add_pd(rank, f)));
        interpolated = _mm256_add_pd(interpolated, _mm256_div_pd(both, _mm256_mul_pd(x, y)));
    }
    _mm256_storeu_pd(sums.above, above);
    _mm256_storeu_pd(sums.precision, precision);
    _mm256_storeu_pd(sums.interpolated, interpolated);
    sums.add_from(drawn, i);
    return sums.total();
}
#endif

Sums fastest_sums(const DrawnPositives& drawn, bool portable) {
#ifdef UNCONFUSE_HAS_AVX2_PATH
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2 && !portable) return avx2_sums(drawn);
#endif
    static_cast<void>(portable);
    return portable_sums(drawn);
}

}  // namespace

void UntiedAreas::evaluate(const std::uint32_t* positives, const std::uint32_t* gaps, std::size_t n_positive_blocks,
                           double* values, bool portable) {
    const std::size_t n_positives = std::accumulate(positives, positives + n_positive_blocks, std::size_t{0});
    constexpr std::size_t at_once = 4;  // most blocks are drawn at most this often: written whole, without a branch
    if (negatives_above_.size() < n_positives + at_once) {
        negatives_above_.resize(n_positives + at_once);
        last_rank_.resize(n_positives + at_once);
    }
    std::int32_t* const above = negatives_above_.data();
    std::int32_t* const rank = last_rank_.data();
    std::int32_t fp = 0;
    std::size_t drawn = 0;
    for (std::size_t b = 0; b < n_positive_blocks; ++b) {
        fp += static_cast<std::int32_t>(gaps[b]);
        const std::size_t next = drawn + positives[b];
        const auto last = static_cast<std::int32_t>(next);
        const std::int32_t four_above[at_once] = {fp, fp, fp, fp}, four_ranks[at_once] = {last, last, last, last};
        std::memcpy(above + drawn, four_above, sizeof four_above);
        std::memcpy(rank + drawn, four_ranks, sizeof four_ranks);
        for (std::size_t i = drawn + at_once; i < next; ++i) {
            above[i] = fp;
            rank[i] = last;
        }
        drawn = next;
    }
    const double P = static_cast<double>(n_positives), N = fp + static_cast<double>(gaps[n_positive_blocks]);
    if (!(P > 0 && N > 0)) {
        std::fill(values, values + auprc_davis_goadrich + 1, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const Sums sums = fastest_sums({above, rank, n_positives}, portable);
    values[auroc] = 1 - sums.above / (P * N);
    values[average_precision] = sums.precision / P;
    values[auprc_davis_goadrich] = sums.interpolated / (2 * P);
}

}  // namespace unconfuse
