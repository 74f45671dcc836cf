// AUROC, average precision and Davis-Goadrich of a replicate in which no positive is tied with a negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace unconfuse {

// Costs as much as there are positives drawn (not blocks). Class totals must be below 2^31.
class UntiedAreas {
public:
    // `gaps` are the negatives above each positive block and, last, below all of them. Writes the first three values of
    // RankMetric; NaN where a class is empty. `portable` keeps to plain C++, for tests that both paths agree.
    void evaluate(const std::uint32_t* positives, const std::uint32_t* gaps, std::size_t n_positive_blocks,
                  double* values, bool portable = false);

private:
    // For each drawn positive, best first: the negatives above it, and how many positives are drawn down to and
    // including all copies of itself. Signed integers of 32 bits become doubles fastest.
    std::vector<std::int32_t> negatives_above_, last_rank_;
};

}  // namespace unconfuse
