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

}  // namespace unconfuse
