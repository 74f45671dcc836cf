#include "radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace unconfuse {
namespace {

constexpr int digit_bits = 8;
constexpr int n_digits = 64 / digit_bits;
constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
constexpr std::size_t small_enough_to_compare = 512;  // clearing the histograms costs more than this many comparisons

using Histogram = std::array<std::size_t, n_buckets>;

std::size_t digit_of(std::uint64_t key, int digit) { return (key >> (digit * digit_bits)) & (n_buckets - 1); }

// All histograms in one pass over the rows.
void count_digits(const WeightedRow* rows, std::size_t n, Histogram* histograms) {
    for (std::size_t i = 0; i < n; ++i)
        for (int digit = 0; digit < n_digits; ++digit) ++histograms[digit][digit_of(rows[i].key, digit)];
}

void scatter(const WeightedRow* from, WeightedRow* to, std::size_t n, int digit, const Histogram& counts) {
    Histogram next;
    std::size_t total = 0;
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
        next[bucket] = total;
        total += counts[bucket];
    }
    for (std::size_t i = 0; i < n; ++i) to[next[digit_of(from[i].key, digit)]++] = from[i];
}

}  // namespace

WeightedRow* radix_sort(WeightedRow* rows, WeightedRow* scratch, std::size_t n) {
    if (n <= small_enough_to_compare) {
        std::stable_sort(rows, rows + n, [](const WeightedRow& a, const WeightedRow& b) { return a.key < b.key; });
        return rows;
    }
    const auto histograms = std::make_unique<Histogram[]>(n_digits);
    count_digits(rows, n, histograms.get());
    for (int digit = 0; digit < n_digits; ++digit) {
        const Histogram& counts = histograms[digit];
        if (counts[digit_of(rows[0].key, digit)] == n) continue;  // all alike: nothing to sort by
        scatter(rows, scratch, n, digit, counts);
        std::swap(rows, scratch);
    }
    return rows;
}

}  // namespace unconfuse
