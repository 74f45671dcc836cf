// Where rows are needed: several models scored on the same rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unconfuse {

// Rows in descending order of score, and where each tie block ends in that order. Returns the number of blocks.
std::size_t order_rows(const double* score, std::size_t n, std::int64_t* order, std::int64_t* block_end);

struct RowOrder {
    const std::int64_t* order;
    const std::int64_t* block_end;
    std::size_t n_rows, n_blocks;
};

}  // namespace unconfuse
