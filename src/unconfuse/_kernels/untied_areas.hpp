// AUROC, average precision and Davis-Goadrich of a replicate in which no positive is tied with a negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace unconfuse {

class UntiedAreas {
public:
    // `gaps` are the negatives above each positive block and, last, below all of them. Writes the first three values of
    // RankMetric; NaN where a class is empty.
    void evaluate(const std::uint32_t* positives, const std::uint32_t* gaps, std::size_t n_positive_blocks,
                  double* values);

private:
    // For each block: positives in it, positives and negatives above it; and the blocks drawn more than once.
    std::vector<double> copies_, positives_above_, negatives_above_;
    std::vector<std::uint32_t> repeated_;
};

}  // namespace unconfuse
