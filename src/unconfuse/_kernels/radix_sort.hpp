// Sorting rows by an integer key: a stable radix sort, least significant digit first. Ties cost nothing extra, and a
// digit that all rows share is skipped.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace unconfuse {

template <typename Row>
class RadixSort {
public:
    // Sorts `rows` by `Row::key`, using `scratch` of the same size; returns the array that holds the sorted rows.
    static Row* sort(Row* rows, Row* scratch, std::size_t n) {
        if (n <= small_enough_to_compare) {
            std::stable_sort(rows, rows + n, [](const Row& a, const Row& b) { return a.key < b.key; });
            return rows;
        }
        const auto histograms = std::make_unique<Histogram[]>(n_digits);
        count_digits(rows, n, histograms.get());
        for (int digit = 0; digit < n_digits; ++digit) {
            if (histograms[digit][digit_of(rows[0].key, digit)] == n) continue;
            scatter(rows, scratch, n, digit, histograms[digit]);
            std::swap(rows, scratch);
        }
        return rows;
    }

private:
    static constexpr int digit_bits = 8;
    static constexpr int n_digits = 64 / digit_bits;
    static constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
    static constexpr std::size_t small_enough_to_compare = 512;  // clearing the histograms would cost more
    using Histogram = std::array<std::size_t, n_buckets>;

    static std::size_t digit_of(std::uint64_t key, int digit) {
        return (key >> (digit * digit_bits)) & (n_buckets - 1);
    }

    // All histograms in one pass over the rows.
    static void count_digits(const Row* rows, std::size_t n, Histogram* histograms) {
        for (std::size_t i = 0; i < n; ++i)
            for (int digit = 0; digit < n_digits; ++digit) ++histograms[digit][digit_of(rows[i].key, digit)];
    }

    static void scatter(const Row* from, Row* to, std::size_t n, int digit, const Histogram& counts) {
        Histogram next;
        std::size_t total = 0;
        for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
            next[bucket] = total;
            total += counts[bucket];
        }
        for (std::size_t i = 0; i < n; ++i) to[next[digit_of(from[i].key, digit)]++] = from[i];
    }
};

// Sorts the bit patterns of doubles, which may have any sign but are no NaN, as the numbers that they are. `scratch`
// has the same size. Every order of the input costs the same, and a few values cost less.
inline void sort_doubles(std::uint64_t* bits, std::uint64_t* scratch, std::size_t n) {
    struct Pattern {
        std::uint64_t key;
    };
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    for (std::size_t i = 0; i < n; ++i) bits[i] ^= bits[i] & sign ? ~std::uint64_t{0} : sign;
    const auto* const sorted = reinterpret_cast<const std::uint64_t*>(
        RadixSort<Pattern>::sort(reinterpret_cast<Pattern*>(bits), reinterpret_cast<Pattern*>(scratch), n));
    for (std::size_t i = 0; i < n; ++i) bits[i] = sorted[i] ^ (sorted[i] & sign ? sign : ~std::uint64_t{0});
}

}  // namespace unconfuse
