// Rows -> score table: one entry per distinct score, highest first, with the weight of each class there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ranks.hpp"

namespace unconfuse {

// Rows that count once each, collapsed in the memory of their own table: two arrays of 8 bytes a row, which afterwards
// hold the scores (as the bits of doubles) and CaseCounts. Returns the number of distinct scores.
//
// It needs scores whose codes leave a bit for the class, and fewer than 2^32 of them; if not, it returns nothing and
// writes nothing. Only scores of both signs that span more than 300 powers of ten are in the way.
std::optional<std::size_t> collapse_cases(const double* score, const bool* is_positive, std::size_t n,
                                          unsigned n_threads, std::uint64_t* out_score, std::uint64_t* out_counts);

// A score table under construction; the arrays must have room for every row.
struct TableOut {
    double* score;
    double* positives;
    double* negatives;
};

struct Table {
    const double* score;
    const double* positives;
    const double* negatives;
    std::size_t size;
};

// Adds two tables; returns the number of distinct scores.
std::size_t merge_tables(const Table& a, const Table& b, TableOut out);

// One weighted row, ready to sort; the sign of the weight tells the class.
struct WeightedRow {
    std::uint64_t code;
    double signed_weight;
    std::uint64_t key() const { return code; }
};

// Rows with weights; weight 0 means: not there. No weights: all are 1. Sums are compensated, so that the order of rows
// within a tie does not show. `room` is for twice as many rows.
std::size_t collapse_weighted(const double* score, const bool* is_positive, const double* weights, std::size_t n,
                              WeightedRow* room, TableOut out);

}  // namespace unconfuse
