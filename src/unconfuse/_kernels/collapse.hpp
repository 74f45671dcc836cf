// Rows -> score table: one entry per distinct score, highest first, with the weight of each class there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unconfuse {

std::size_t count_true(const bool* flags, std::size_t n);

// Copies the negated scores of the smaller class (rows whose flag is `smaller_flag`) and of the larger one into arrays
// of just the right size. Negated, so that an ascending sort puts the best first.
void split_by_class(const double* score, const bool* is_positive, bool smaller_flag, std::size_t n, double* smaller,
                    double* larger);

// A score table under construction; the arrays must have room for every row.
struct TableOut {
    double* score;
    double* positives;
    double* negatives;
};

// Merges both classes, sorted, into tie blocks; returns their number. The larger class sits at the end of `score`,
// which the blocks fill from the front: there is always room, because one block takes at least one row.
std::size_t merge_classes(const double* smaller, std::size_t n_smaller, std::size_t n_larger, double* score,
                          double* smaller_counts, double* larger_counts);

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
