// Sums over runs of neighbouring blocks, and where running sums pass given marks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ranks.hpp"

namespace unconfuse {

// For each mark, ascending, the first place at which the running sum of the weights has reached it; n where it never
// does.
void places_reaching(const double* weights, std::size_t n, const double* marks, std::size_t n_marks,
                     std::int64_t* places);

// Positives, negatives and the sum of the scores of all cases in blocks start[i] to start[i + 1] (the last run ends
// with the table); an empty run gives 0.
void band_sums(const double* score, const Blocks& blocks, const std::int64_t* start, std::size_t n_bands,
               double* positives, double* negatives, double* scores);

}  // namespace unconfuse
