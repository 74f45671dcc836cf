// Sorting rows by an integer key, stably: by the first digits of the keys, least significant first, and then within the
// few rows that agree in these. No order of the rows costs more than a random one; rows in order cost a look.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "in_vectors.hpp"

namespace unconfuse {

template <typename Row>
class RadixSort {
public:
    // Sorts `rows` by `Row::key()`, keys of at most so many bits, using `scratch` of the same size; returns the array
    // that holds the sorted rows.
    static Row* sort(Row* rows, Row* scratch, std::size_t n, unsigned width) {
        if (is_in_order(rows, n)) return rows;
        if (static_cast<std::ptrdiff_t>(n) <= few_rows) {
            insert_in_order(rows, rows + n);
            return rows;
        }
        if (n <= pays_long_digits) return Digits<8, 2>::sort(rows, scratch, n, width);
        return n <= told_apart_by_two ? Digits<10, 2>::sort(rows, scratch, n, width)
                                      : Digits<10, 3>::sort(rows, scratch, n, width);
    }

    // The same for keys that agree in all but their last `rest` bits: they may be less wide apart.
    static Row* sort_rest(Row* rows, Row* scratch, std::size_t n, unsigned rest) {
        std::uint64_t differ = 0;
        for (std::size_t i = 0; i < n; ++i) differ |= rows[i].key() ^ rows[0].key();
        unsigned width = 0;
        while (width < rest && differ >> width != 0) ++width;
        return width == 0 ? rows : sort(rows, scratch, n, width);
    }

private:
    // As many and as long digits as leave few rows that agree in all of them.
    static constexpr std::size_t pays_long_digits = std::size_t{1} << 11, told_apart_by_two = std::size_t{1} << 15;
    static constexpr std::ptrdiff_t few_rows = 24;

    static bool is_before(const Row& a, const Row& b) { return a.key() < b.key(); }

    // Rows in order stay; rows in strictly the reverse order are turned round.
    static bool is_in_order(Row* rows, std::size_t n) {
        if (std::is_sorted(rows, rows + n, is_before)) return true;
        const auto not_reversed = [](const Row& a, const Row& b) { return !is_before(b, a); };
        if (std::adjacent_find(rows, rows + n, not_reversed) != rows + n) return false;
        std::reverse(rows, rows + n);
        return true;
    }

    template <unsigned bits, unsigned n_digits>
    struct Digits {
        static constexpr std::size_t n_buckets = std::size_t{1} << bits;
        using Histogram = std::array<std::size_t, n_buckets>;

        static Row* sort(Row* rows, Row* scratch, std::size_t n, unsigned width) {
            const unsigned rest = width > n_digits * bits ? width - n_digits * bits : 0;
            std::array<Histogram, n_digits> histograms{};
            count(rows, n, rest, histograms.data());
            for (unsigned digit = 0; digit < n_digits; ++digit) {
                const unsigned shift = rest + digit * bits;
                if (histograms[digit][bucket(rows[0], shift)] == n) continue;  // all rows share this digit
                scatter(rows, scratch, n, shift, histograms[digit]);
                std::swap(rows, scratch);
            }
            if (rest > 0) sort_alike(rows, scratch, n, rest);
            return rows;
        }

        static void count(const Row* rows, std::size_t n, unsigned rest, Histogram* histograms) {
            for (std::size_t i = 0; i < n; ++i)
                for (unsigned digit = 0; digit < n_digits; ++digit)
                    ++histograms[digit][bucket(rows[i], rest + digit * bits)];
        }

        static std::size_t bucket(const Row& row, unsigned shift) { return (row.key() >> shift) & (n_buckets - 1); }

        static void scatter(const Row* from, Row* to, std::size_t n, unsigned shift, Histogram& next) {
            std::size_t total = 0;
            for (std::size_t& each : next) total += std::exchange(each, total);
            for (std::size_t i = 0; i < n; ++i) to[next[bucket(from[i], shift)]++] = from[i];
        }
    };

    // The first row that belongs before the one ahead of it, looked for in strides.
    static Row* in_order_until(Row* first, Row* end) {
        constexpr std::ptrdiff_t stride = 32;
        Row* const far = in_vectors([=]() UNCONFUSE_LOOP {
            Row* at = first;
            for (; end - at > stride; at += stride) {
                std::uint64_t wrong = 0;
                for (std::ptrdiff_t i = 0; i < stride; ++i) wrong |= is_before(at[i + 1], at[i]) ? 1 : 0;
                if (wrong != 0) break;
            }
            return at;
        });
        return std::is_sorted_until(far, end, is_before);
    }

    // Rows are in order but for the last `rest` bits of the keys: sorts those that agree in all bits before.
    static void sort_alike(Row* rows, Row* scratch, std::size_t n, unsigned rest) {
        Row* const end = rows + n;
        for (Row* at = in_order_until(rows, end); at != end; at = in_order_until(at, end)) {
            const std::uint64_t prefix = at->key() >> rest;
            const auto is_alike = [=](const Row& row) { return row.key() >> rest == prefix; };
            Row* first = at;
            while (first != rows && is_alike(first[-1])) --first;
            at = std::find_if_not(at, end, is_alike);
            sort_run(first, at, scratch + (first - rows), rest);
        }
    }

    static void sort_run(Row* first, Row* end, Row* scratch, unsigned rest) {
        if (end - first > few_rows) {
            const auto n = static_cast<std::size_t>(end - first);
            Row* const sorted = sort_rest(first, scratch, n, rest);
            if (sorted != first) std::copy(sorted, sorted + n, first);
            return;
        }
        insert_in_order(first, end);
    }

    static void insert_in_order(Row* first, Row* end) {
        for (Row* at = first + 1; at < end; ++at) {
            const Row row = *at;
            Row* to = at;
            for (; to != first && is_before(row, to[-1]); --to) *to = to[-1];
            *to = row;
        }
    }
};

}  // namespace unconfuse
