#include "bootstrap.hpp"

#include <algorithm>
#include <vector>

#include "parallel.hpp"
#include "untied_areas.hpp"

namespace unconfuse {
namespace {

// Evaluates replicates one after the other in memory of its own.
class RankWorker {
public:
    RankWorker(const CoarseTable& table, const Resampler& resampler, std::uint64_t seed, Wanted wanted)
        : table_(table),
          resampler_(resampler),
          seed_(seed),
          wanted_(wanted),
          units_(resampler.n_units()),
          block_positives_(2 * table.n_positive_blocks() + 1, 0.0),
          block_negatives_(block_positives_.size(), 0.0),
          gap_counts_(table.largest_gap()) {}

    void evaluate(std::uint64_t replicate, double* values) {
        const Replicate drawn = resampler_.draw(replicate, units_.data());
        const Wanted fast = table_.is_nearly_untied() ? wanted_ & first_areas : 0u;
        if (fast) untied_.evaluate(drawn.positives, drawn.gaps, table_.n_positive_blocks(), values);
        const Wanted rest = wanted_ & ~fast;
        if (!rest) return;
        fill_blocks(drawn);
        double general[n_rank_metrics];
        evaluate_ranks(
            {block_positives_.data(), block_negatives_.data(), block_positives_.size()}, rest, general,
            [&](std::size_t block) -> const std::vector<double>& { return parts_of_block(replicate, drawn, block); });
        for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
            if (rest & (1u << metric)) values[metric] = general[metric];
    }

private:
    // Even places hold gaps, odd ones the blocks with positives.
    void fill_blocks(const Replicate& drawn) {
        const std::size_t m = table_.n_positive_blocks();
        for (std::size_t i = 0; i < m; ++i) {
            block_negatives_[2 * i] = drawn.gaps[i];
            block_positives_[2 * i + 1] = drawn.positives[i];
            block_negatives_[2 * i + 1] = drawn.tied ? drawn.tied[i] : 0;
        }
        block_negatives_[2 * m] = drawn.gaps[m];
    }

    const std::vector<double>& parts_of_block(std::uint64_t replicate, const Replicate& drawn, std::size_t block) {
        if (block % 2 == 1) {  // a tie block none of whose positives was drawn
            parts_.assign(1, block_negatives_[block]);
            return parts_;
        }
        const std::size_t gap = block / 2, size = table_.gap_size(gap);
        table_.refine(seed_, replicate, gap, drawn.gaps[gap], gap_counts_.data());
        parts_.assign(gap_counts_.begin(), gap_counts_.begin() + static_cast<std::ptrdiff_t>(size));
        return parts_;
    }

    const CoarseTable& table_;
    const Resampler& resampler_;
    std::uint64_t seed_;
    Wanted wanted_;
    std::vector<std::uint32_t> units_;
    std::vector<double> block_positives_, block_negatives_, parts_;
    std::vector<std::uint32_t> gap_counts_;
    UntiedAreas untied_;
};

}  // namespace

void bootstrap_ranks(const CoarseTable& table, Design design, const ReplicateRange& range, Wanted wanted,
                     double* values) {
    const Resampler resampler(table, design, range.seed);
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, worker = RankWorker(table, resampler, range.seed, wanted)](std::size_t i) mutable {
            double metrics[n_rank_metrics];
            worker.evaluate(range.first + i, metrics);
            for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
                if (wanted & (1u << metric)) values[metric * range.count + i] = metrics[metric];
        };
    });
}

void bootstrap_tables(const CoarseTable& table, std::size_t n_blocks, Design design, const ReplicateRange& range,
                      double* positives, double* negatives) {
    const Resampler resampler(table, design, range.seed);
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, units = std::vector<std::uint32_t>(resampler.n_units()),
                gap_counts = std::vector<std::uint32_t>(table.largest_gap())](std::size_t i) mutable {
            const Replicate drawn = resampler.draw(range.first + i, units.data());
            double* const row_positives = positives + i * n_blocks;
            double* const row_negatives = negatives + i * n_blocks;
            std::fill(row_positives, row_positives + n_blocks, 0.0);
            std::fill(row_negatives, row_negatives + n_blocks, 0.0);
            for (std::size_t p = 0; p < table.n_positive_blocks(); ++p) {
                row_positives[table.positive_block(p)] = drawn.positives[p];
                if (drawn.tied) row_negatives[table.positive_block(p)] = drawn.tied[p];
            }
            for (std::size_t gap = 0; gap <= table.n_positive_blocks(); ++gap) {
                if (drawn.gaps[gap] == 0) continue;
                table.refine(range.seed, range.first + i, gap, drawn.gaps[gap], gap_counts.data());
                for (std::size_t b = 0; b < table.gap_size(gap); ++b)
                    row_negatives[table.block_in_gap(gap, b)] = gap_counts[b];
            }
        };
    });
}

}  // namespace unconfuse
