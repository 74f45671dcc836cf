// One-versus-rest ranks of many classes in one pass over a matrix of scores.
//
// Only the rarer side matters: each class's own scores are sorted once, and every other row is counted between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unconfuse {

// Scores in any order of memory: the score of row r for class k is data[r * row_step + k * column_step].
template <typename T>
struct ScoreMatrix {
    const T* data;
    std::int64_t row_step, column_step;
    std::size_t n_rows, n_classes;
};

// Distinct scores of each class's own cases, ascending; those of class k are
// level[start[k]] ... level[start[k + 1] - 1]. A class with m of them has 2 m + 1 slots, from 2 start[k] + k on: below
// the first, tied with it, between it and the second, and so on.
template <typename T>
struct ClassLevels {
    const T* level;
    const std::int64_t* start;
};

// Rows: their class, weight, and the same weight over that of their class.
struct ClassRows {
    const std::int64_t* truth;
    const double* weight;
    const double* balanced;
};

// Sums of the other classes' weights in each slot; and for each row the sum over the other classes k of
// credit[slot] * coefficient[c * n_classes + k], for each of the coefficients c, at sums[c * n_rows + r].
struct SlotSums {
    const double* credit;
    const double* coefficient;
    std::size_t n_coefficients;
    double* weight_in_slot;
    double* balanced_in_slot;
    double* sums;
};

template <typename T>
void class_ranks(const ScoreMatrix<T>& scores, const ClassLevels<T>& levels, const ClassRows& rows,
                 const SlotSums& totals, unsigned n_threads);

}  // namespace unconfuse
