// Bootstrap replicates of a score table. Everything depends on (seed, replicate) only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coarse_table.hpp"
#include "ranks.hpp"

namespace unconfuse {

struct ReplicateRange {
    std::uint64_t seed, first;
    std::size_t count;
    unsigned n_threads;
};

// Writes values[metric * range.count + i] for the wanted metrics of replicate range.first + i.
void bootstrap_ranks(const CoarseTable& table, std::size_t n_blocks, Design design, const ReplicateRange& range,
                     Wanted wanted, double* values);

// Writes the full tables of the same replicates: count rows of n_blocks weights for each class.
void bootstrap_tables(const CoarseTable& table, std::size_t n_blocks, Design design, const ReplicateRange& range,
                      double* positives, double* negatives);

}  // namespace unconfuse
