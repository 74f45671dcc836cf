#include "rows.hpp"

#include <memory>

#include "radix_sort.hpp"
#include "sort_key.hpp"

namespace unconfuse {
namespace {

struct IndexedRow {
    std::uint64_t key;
    std::int64_t row;
};

}  // namespace

std::size_t order_rows(const double* score, std::size_t n, std::int64_t* order, std::int64_t* block_end) {
    const std::unique_ptr<IndexedRow[]> rows(new IndexedRow[n]), scratch(new IndexedRow[n]);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {descending_key(score[i]), static_cast<std::int64_t>(i)};
    const IndexedRow* sorted = RadixSort<IndexedRow>::sort(rows.get(), scratch.get(), n);
    std::size_t n_blocks = 0;
    for (std::size_t i = 0; i < n; ++i) {
        order[i] = sorted[i].row;
        if (i + 1 == n || sorted[i + 1].key != sorted[i].key) block_end[n_blocks++] = static_cast<std::int64_t>(i + 1);
    }
    return n_blocks;
}

}  // namespace

std::size_t order_rows(const double* score, std::size_t n, std::int64_t* order, std::int64_t* block_end) {
    const std::unique_ptr<IndexedRow[]> rows(new IndexedRow[n]), scratch(new IndexedRow[n]);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {descending_key(score[i]), static_cast<std::int64_t>(i)};
    const IndexedRow* sorted = RadixSort<IndexedRow>::sort(rows.get(), scratch.get(), n);
    std::size_t n_blocks = 0;
    for (std::size_t i = 0; i < n; ++i) {
        order[i] = sorted[i].row;
        if (i + 1 == n || sorted[i + 1].key != sorted[i].key) block_end[n_blocks++] = static_cast<std::int64_t>(i + 1);
    }
    return n_blocks;
}

void row_placements(const RowOrder& rows, const bool* is_positive, double* placement) {
    double n_positives = 0;
    for (std::size_t i = 0; i < rows.n_rows; ++i) n_positives += is_positive[i] ? 1 : 0;
    const double n_negatives = static_cast<double>(rows.n_rows) - n_positives;
    double tp = 0, fp = 0;
    std::int64_t start = 0;
    for (std::size_t b = 0; b < rows.n_blocks; ++b) {
        const std::int64_t end = rows.block_end[b];
        double c = 0;
        for (std::int64_t i = start; i < end; ++i) c += is_positive[rows.order[i]] ? 1 : 0;
        const double d = static_cast<double>(end - start) - c;
        const double of_positive = (n_negatives - fp - d / 2) / n_negatives, of_negative = (tp + c / 2) / n_positives;
        for (std::int64_t i = start; i < end; ++i)
            placement[rows.order[i]] = is_positive[rows.order[i]] ? of_positive : of_negative;
        tp += c;
        fp += d;
        start = end;
    }
}

}  // namespace unconfuse
