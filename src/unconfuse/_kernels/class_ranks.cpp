#include "class_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace unconfuse {

namespace {

constexpr std::size_t columns_at_a_time = 16;  // a cache line of a row-by-row matrix holds about so many scores
constexpr std::size_t rows_at_a_time = 1024;   // a tile is copied column by column, so that each class works in cache
constexpr std::size_t chunks = 16;             // of rows; fixed, so that sums do not depend on the number of threads
constexpr std::size_t looked_at = 4;           // levels compared at once, without asking which is the last

template <typename T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Whole numbers in the order of the scores; -0.0 counts as 0.0.
template <typename T>
inline Key<T> key_of(T score) {
    constexpr Key<T> sign = Key<T>{1} << (8 * sizeof(T) - 1);
    const T value = score + T{0};
    Key<T> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

// A class's own scores in order, with a guide to them: evenly spaced keys, and the first level at or above each.
template <typename T>
class Guide {
public:
    Guide(const T* levels, std::size_t size) : size_(size) {
        keys_.reserve(size + looked_at);
        for (std::size_t i = 0; i < size; ++i) keys_.push_back(key_of(levels[i]));
        keys_.insert(keys_.end(), looked_at, std::numeric_limits<Key<T>>::max());
        if (size == 0) return;
        lowest_ = keys_[0];
        highest_ = keys_[size - 1];
        std::size_t wanted = 16;
        while (wanted < 4 * size && wanted < (std::size_t{1} << 14)) wanted *= 2;
        while (((highest_ - lowest_) >> shift_) >= wanted) ++shift_;
        first_.assign(static_cast<std::size_t>((highest_ - lowest_) >> shift_) + 2, static_cast<std::uint32_t>(size));
        for (std::size_t i = size; i-- > 0;) first_[bucket(keys_[i])] = static_cast<std::uint32_t>(i);
        for (std::size_t b = first_.size() - 1; b-- > 0;) first_[b] = std::min(first_[b], first_[b + 1]);
    }

    // 2 i between level i - 1 and level i, 2 i + 1 when tied with level i.
    std::uint32_t slot(Key<T> key) const {
        if (key < lowest_) return 0;
        if (key > highest_) return static_cast<std::uint32_t>(2 * size_);
        const std::size_t at = bucket(key), from = first_[at], to = first_[at + 1];
        std::size_t below = from;
        if (to - from <= looked_at)  // levels beyond the bucket lie above the key anyway
            for (std::size_t i = 0; i < looked_at; ++i) below += keys_[from + i] < key;
        else
            below = static_cast<std::size_t>(std::lower_bound(&keys_[from], &keys_[to], key) - &keys_[0]);
        return static_cast<std::uint32_t>(2 * below + (keys_[below] == key));
    }

    std::size_t size() const { return size_; }

private:
    std::size_t bucket(Key<T> key) const { return static_cast<std::size_t>((key - lowest_) >> shift_); }

    std::size_t size_;
    std::vector<Key<T>> keys_;
    std::vector<std::uint32_t> first_;
    Key<T> lowest_ = 0, highest_ = 0;
    unsigned shift_ = 0;
};

template <typename T>
class Block {
public:
    Block(const ScoreMatrix<T>& scores, const ClassLevels<T>& levels, const ClassRows& rows, const SlotSums& totals,
          std::size_t first)
        : scores_(scores),
          rows_(rows),
          totals_(totals),
          first_(first),
          last_(std::min(first + columns_at_a_time, scores.n_classes)) {
        for (std::size_t k = first_; k <= last_; ++k)
            start_[k - first_] = 2 * static_cast<std::size_t>(levels.start[k]) + k;
        for (std::size_t k = first_; k < last_; ++k)
            guides_.emplace_back(levels.level + levels.start[k],
                                 static_cast<std::size_t>(levels.start[k + 1] - levels.start[k]));
        partial_.resize(2 * chunks * n_slots());
    }

    void count(std::size_t chunk) {
        const std::size_t from = scores_.n_rows * chunk / chunks, to = scores_.n_rows * (chunk + 1) / chunks;
        std::vector<Key<T>> tile(rows_at_a_time * columns_at_a_time);
        for (std::size_t r = from; r < to; r += rows_at_a_time) {
            const std::size_t size = std::min(rows_at_a_time, to - r);
            copy(r, size, tile.data());
            for (std::size_t k = first_; k < last_; ++k)
                if (guides_[k - first_].size() > 0)
                    one(k, r, size, &tile[(k - first_) * rows_at_a_time], &partial_[2 * chunk * n_slots()]);
        }
    }

    void add_up() const {
        const std::size_t origin = start_[0];
        for (std::size_t chunk = 0; chunk < chunks; ++chunk)
            for (std::size_t s = 0; s < n_slots(); ++s) {
                totals_.weight_in_slot[origin + s] += partial_[2 * (chunk * n_slots() + s)];
                totals_.balanced_in_slot[origin + s] += partial_[2 * (chunk * n_slots() + s) + 1];
            }
    }

private:
    std::size_t n_slots() const { return start_[last_ - first_] - start_[0]; }

    void copy(std::size_t r, std::size_t size, Key<T>* tile) const {
        const T* from = scores_.data + static_cast<std::int64_t>(r) * scores_.row_step;
        const std::size_t width = last_ - first_;
        const auto at = [&](std::size_t i, std::size_t k) {
            tile[k * rows_at_a_time + i] = key_of(from[static_cast<std::int64_t>(i) * scores_.row_step +
                                                       static_cast<std::int64_t>(first_ + k) * scores_.column_step]);
        };
        if (scores_.row_step < scores_.column_step) {
            for (std::size_t k = 0; k < width; ++k)
                for (std::size_t i = 0; i < size; ++i) at(i, k);
        } else {
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t k = 0; k < width; ++k) at(i, k);
        }
    }

    void one(std::size_t k, std::size_t r, std::size_t size, const Key<T>* keys, double* partial) const {
        const Guide<T>& guide = guides_[k - first_];
        std::array<std::uint32_t, rows_at_a_time> slots;
        for (std::size_t i = 0; i < size; ++i) slots[i] = guide.slot(keys[i]);
        double* here = partial + 2 * (start_[k - first_] - start_[0]);
        const std::int64_t own = static_cast<std::int64_t>(k);
        for (std::size_t i = 0; i < size; ++i) {
            if (rows_.truth[r + i] == own) continue;
            here[2 * slots[i]] += rows_.weight[r + i];
            here[2 * slots[i] + 1] += rows_.balanced[r + i];
        }
        const double* credit = totals_.credit + start_[k - first_];
        for (std::size_t c = 0; c < totals_.n_coefficients; ++c) {
            const double factor = totals_.coefficient[c * scores_.n_classes + k];
            double* sums = totals_.sums + c * scores_.n_rows + r;
            for (std::size_t i = 0; i < size; ++i)
                if (rows_.truth[r + i] != own) sums[i] += factor * credit[slots[i]];
        }
    }

    const ScoreMatrix<T>& scores_;
    const ClassRows& rows_;
    const SlotSums& totals_;
    std::size_t first_, last_;
    std::array<std::size_t, columns_at_a_time + 1> start_{};
    std::vector<Guide<T>> guides_;
    std::vector<double> partial_;
};

}  // namespace

template <typename T>
void class_ranks(const ScoreMatrix<T>& scores, const ClassLevels<T>& levels, const ClassRows& rows,
                 const SlotSums& totals, unsigned n_threads) {
    for (std::size_t first = 0; first < scores.n_classes; first += columns_at_a_time) {
        Block<T> block(scores, levels, rows, totals, first);
        for_each_replicate(chunks, n_threads, [&] { return [&](std::size_t chunk) { block.count(chunk); }; });
        block.add_up();
    }
}

template void class_ranks(const ScoreMatrix<float>&, const ClassLevels<float>&, const ClassRows&, const SlotSums&,
                          unsigned);
template void class_ranks(const ScoreMatrix<double>&, const ClassLevels<double>&, const ClassRows&, const SlotSums&,
                          unsigned);

}  // namespace unconfuse
