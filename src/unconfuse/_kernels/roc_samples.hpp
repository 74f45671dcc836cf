// Samples from a population that is known by its ROC curve, evaluated at once.
//
// Ranks do not change when all scores go through the negatives' distribution function. On that scale negatives are
// uniform, so that their numbers in equal buckets are one multinomial with equal probabilities; a positive sits at the
// false positive rate of its own score. Only buckets that hold positives need the places of their negatives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootstrap.hpp"
#include "ranks.hpp"

namespace unconfuse {

// The false positive rate at a true positive rate, from a table that is magnified towards both ends: level l of a side
// holds n_knots + 1 values at distances i / n_knots * 16^-l / 2 from that end.
struct RocTable {
    static constexpr std::size_t n_sides = 2, n_levels = 6, n_knots = 1024;
    static constexpr std::size_t size = n_sides * n_levels * (n_knots + 1);
    const double* fpr;
};

// Writes values[metric * range.count + i] for the wanted metrics of sample range.first + i.
void roc_samples(const RocTable& roc, std::uint32_t n_positives, std::uint32_t n_negatives, const ReplicateRange& range,
                 Wanted wanted, double* values);

}  // namespace unconfuse
