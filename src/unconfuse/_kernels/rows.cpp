#include "rows.hpp"

#include <memory>

#include "radix_sort.hpp"
#include "score_codes.hpp"

namespace unconfuse {
namespace {

struct IndexedRow {
    std::uint64_t code;
    std::int64_t row;
    std::uint64_t key() const { return code; }
};

}  // namespace

std::size_t order_rows(const double* score, std::size_t n, std::int64_t* order, std::int64_t* block_end) {
    const std::unique_ptr<IndexedRow[]> rows(new IndexedRow[n]), scratch(new IndexedRow[n]);
    const ScoreCodes codes(score, n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {codes.code(score[i]), static_cast<std::int64_t>(i)};
    const IndexedRow* const sorted = RadixSort<IndexedRow>::sort(rows.get(), scratch.get(), n, codes.width());
    std::size_t n_blocks = 0;
    for (std::size_t i = 0; i < n; ++i) {
        order[i] = sorted[i].row;
        if (i + 1 == n || sorted[i + 1].code != sorted[i].code)
            block_end[n_blocks++] = static_cast<std::int64_t>(i + 1);
    }
    return n_blocks;
}

}  // namespace unconfuse
