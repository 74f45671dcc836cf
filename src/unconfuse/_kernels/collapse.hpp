// Rows -> score table: one entry per distinct score, highest first, with the weight of each class there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unconfuse {

// Copies the scores of each class into its own array; -0.0 becomes 0.0. Returns nothing: the caller has counted the
// classes and gives arrays of just the right size.
void split_by_class(const double* score, const bool* is_positive, std::size_t n, double* positive_scores,
                    double* negative_scores);

std::size_t count_true(const bool* flags, std::size_t n);

// A score table under construction; the arrays must have room for every row.
struct TableOut {
    double* score;
    double* positives;
    double* negatives;
};

// Merges two ascending arrays of scores into descending tie blocks; returns the number of blocks.
std::size_t merge_classes(const double* positive_scores, std::size_t n_positives, const double* negative_scores,
                          std::size_t n_negatives, TableOut out);

struct Table {
    const double* score;
    const double* positives;
    const double* negatives;
    std::size_t size;
};

// Adds two tables; returns the number of distinct scores.
std::size_t merge_tables(const Table& a, const Table& b, TableOut out);

// One weighted row, ready to sort: larger scores have smaller keys; the sign of the weight tells the class.
struct WeightedRow {
    std::uint64_t key;
    double signed_weight;
};

// Writes the rows of non-zero weight (weight 0 means: not there) and returns how many there are.
std::size_t pack_rows(const double* score, const bool* is_positive, const double* weights, std::size_t n,
                      WeightedRow* rows);

// Collapses rows sorted by key. Sums are compensated, so that the order of rows within a tie does not show.
std::size_t collapse_sorted_rows(const WeightedRow* rows, std::size_t n, TableOut out);

}  // namespace unconfuse
