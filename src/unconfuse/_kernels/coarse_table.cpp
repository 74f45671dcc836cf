#include "coarse_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace unconfuse {

CoarseTable::CoarseTable(const double* positives, const double* negatives, std::size_t n_blocks) {
    check_weights(positives, n_blocks);
    check_weights(negatives, n_blocks);
    constexpr std::size_t much_fewer = 4;
    const auto is_there = [](double weight) { return weight > 0; };
    const auto blocks_of = [&](const double* weights) {
        return static_cast<std::size_t>(std::count_if(weights, weights + n_blocks, is_there));
    };
    negatives_are_rare_ = much_fewer * blocks_of(negatives) < blocks_of(positives);
    const double* const rare = negatives_are_rare_ ? negatives : positives;
    const double* const other = negatives_are_rare_ ? positives : negatives;
    gap_start_.push_back(0);
    gap_weights_.push_back(0.0);
    const auto close_gap = [this] {
        const auto begin = gap_block_weight_.begin() + static_cast<std::ptrdiff_t>(gap_start_.back());
        gap_is_even_.push_back(std::all_of(begin, gap_block_weight_.end(), [&](double w) { return w == *begin; }));
        largest_gap_ = std::max(largest_gap_, gap_block_.size() - gap_start_.back());
        gap_start_.push_back(gap_block_.size());
    };
    for (std::size_t b = 0; b < n_blocks; ++b) {
        if (rare[b] > 0) {
            close_gap();
            gap_weights_.push_back(0.0);
            rare_block_.push_back(b);
            rare_weights_.push_back(rare[b]);
            tied_weights_.push_back(other[b]);
            has_ties_ = has_ties_ || other[b] > 0;
        } else if (other[b] > 0) {
            gap_weights_.back() += other[b];
            gap_block_.push_back(b);
            gap_block_weight_.push_back(other[b]);
        }
    }
    close_gap();
    if (!has_ties_) tied_weights_.clear();
    constexpr double few_per_block = 8;
    const std::vector<double>& single = negatives_are_rare_ ? gap_block_weight_ : rare_weights_;  // positives alone
    const double total = std::accumulate(single.begin(), single.end(), 0.0);
    is_nearly_untied_ = !has_ties_ && total <= few_per_block * static_cast<double>(single.size());
}

void CoarseTable::refine(std::uint64_t seed, std::uint64_t replicate, std::size_t gap, std::uint32_t total,
                         std::uint32_t* counts) const {
    constexpr std::size_t few_per_block = 8;  // beyond this, one binomial per block is cheaper than single draws
    const std::size_t size = gap_size(gap);
    Generator random(seed, replicate, 1 + gap);  // stream 0 draws the totals
    if (gap_is_even_[gap] && total < few_per_block * size) {
        std::fill(counts, counts + size, 0u);
        for (std::uint32_t i = 0; i < total; ++i) ++counts[random.below(size)];
    } else {
        draw_by_binomials(random, gap_block_weight_.data() + gap_start_[gap], size, gap_weights_[gap], total, counts);
    }
}

void check_weights(const double* weights, std::size_t n) {
    const auto counts = [](double weight) { return weight >= 0 && weight <= most_cases; };
    if (!std::all_of(weights, weights + n, counts)) throw std::invalid_argument("a weight counts no cases");
}

std::uint32_t whole_total(double weight) {
    if (!(weight >= 0 && weight < most_cases))
        throw std::invalid_argument("too many cases to resample: the total weight exceeds 2^31");
    return static_cast<std::uint32_t>(std::llround(weight));
}

Resampler::Resampler(const CoarseTable& table, Design design, std::uint64_t seed)
    : n_rare_units_(table.rare_weights().size()),
      n_other_units_(table.gap_weights().size() + table.tied_weights().size()),
      n_gaps_(table.gap_weights().size()),
      has_ties_(table.has_ties()),
      seed_(seed) {
    const auto add_stratum = [this](std::vector<double> weights) {
        const std::uint32_t total = whole_total(std::accumulate(weights.begin(), weights.end(), 0.0));
        strata_.emplace_back(std::move(weights), total);
    };
    std::vector<double> rare = table.rare_weights(), others = table.gap_weights();
    others.insert(others.end(), table.tied_weights().begin(), table.tied_weights().end());
    if (design == Design::cohort) {
        rare.insert(rare.end(), others.begin(), others.end());
        add_stratum(std::move(rare));
    } else {
        add_stratum(std::move(rare));
        add_stratum(std::move(others));
    }
}

Replicate Resampler::draw(std::uint64_t replicate, std::uint32_t* units, std::size_t stride) const {
    Generator random(seed_, replicate, 0);
    std::uint32_t* next = units;
    for (const Multinomial& stratum : strata_) {
        stratum.draw(random, next, stride);
        next += stratum.size() * stride;
    }
    const std::uint32_t* gaps = units + n_rare_units_ * stride;
    return {units, gaps, has_ties_ ? gaps + n_gaps_ * stride : nullptr};
}

}  // namespace unconfuse
