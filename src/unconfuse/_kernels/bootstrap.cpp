#include "bootstrap.hpp"

#include <algorithm>
#include <vector>

#include "abreast.hpp"
#include "parallel.hpp"
#include "untied_areas.hpp"

namespace unconfuse {
namespace {

// The tables of replicates: all blocks of the table, or with each gap as one block.
class Rows {
public:
    Rows(const CoarseTable& table, std::uint64_t seed) : table_(table), seed_(seed), gap_counts_(table.largest_gap()) {}

    // Gaps and blocks of the rarer class that were drawn from, and where they come from: gaps have even places, blocks
    // odd ones. It is a coin toss whether one is empty, so each is written and only the place moves. Returns how many.
    std::size_t write_merged(const Replicate& drawn, double* positives, double* negatives, std::size_t* origin) const {
        const std::size_t m = table_.n_rare_blocks();
        double* const rare = table_.negatives_are_rare() ? negatives : positives;
        double* const other = table_.negatives_are_rare() ? positives : negatives;
        std::size_t n = 0;
        const auto add = [&](std::uint32_t few, std::uint32_t many, std::size_t place) {
            rare[n] = few;
            other[n] = many;
            origin[n] = place;
            n += (few | many) != 0 ? 1 : 0;
        };
        const bool has_gaps = table_.n_gap_blocks() > 0;
        for (std::size_t i = 0; i < m; ++i) {
            if (has_gaps) add(0, drawn.gaps[i], 2 * i);
            add(drawn.rare[i], drawn.tied ? drawn.tied[i] : 0, 2 * i + 1);
        }
        if (has_gaps) add(0, drawn.gaps[m], 2 * m);
        return n;
    }

    void write_all(std::uint64_t replicate, const Replicate& drawn, std::size_t n_blocks, double* positives,
                   double* negatives) {
        double* const rare = table_.negatives_are_rare() ? negatives : positives;
        double* const other = table_.negatives_are_rare() ? positives : negatives;
        std::fill(positives, positives + n_blocks, 0.0);
        std::fill(negatives, negatives + n_blocks, 0.0);
        for (std::size_t i = 0; i < table_.n_rare_blocks(); ++i) {
            rare[table_.rare_block(i)] = drawn.rare[i];
            if (drawn.tied) other[table_.rare_block(i)] = drawn.tied[i];
        }
        for (std::size_t gap = 0; gap <= table_.n_rare_blocks(); ++gap) {
            if (drawn.gaps[gap] == 0) continue;
            refine(replicate, gap, drawn.gaps[gap]);
            for (std::size_t b = 0; b < table_.gap_size(gap); ++b) other[table_.block_in_gap(gap, b)] = gap_counts_[b];
        }
    }

    // Where negatives are rare and no positive is tied with one: how often each block of positives was drawn, and the
    // negatives above each of them and, last, below all.
    void write_unfolded(std::uint64_t replicate, const Replicate& drawn, std::uint32_t* positives,
                        std::uint32_t* negatives) const {
        std::size_t next = 0;
        std::fill(negatives, negatives + table_.n_gap_blocks() + 1, 0u);
        for (std::size_t gap = 0; gap <= table_.n_rare_blocks(); ++gap) {
            table_.refine(seed_, replicate, gap, drawn.gaps[gap], positives + next);
            next += table_.gap_size(gap);
            if (gap < table_.n_rare_blocks()) negatives[next] += drawn.rare[gap];
        }
    }

    // How often each block of a gap was drawn.
    const std::vector<std::uint32_t>& refine(std::uint64_t replicate, std::size_t gap, std::uint32_t total) {
        table_.refine(seed_, replicate, gap, total, gap_counts_.data());
        return gap_counts_;
    }

private:
    const CoarseTable& table_;
    std::uint64_t seed_;
    std::vector<std::uint32_t> gap_counts_;
};

// Evaluates replicates, as many at a time as there are lanes, in memory of its own.
class RankWorker {
public:
    RankWorker(const CoarseTable& table, std::size_t n_blocks, const Resampler& resampler, std::uint64_t seed,
               Wanted wanted)
        : table_(table),
          resampler_(resampler),
          rows_(table, seed),
          fast_(table.is_nearly_untied() ? wanted & (table.negatives_are_rare() ? bit(average_precision) : first_areas)
                                         : 0u),
          side_by_side_(table.n_rare_blocks() > Abreast::most_blocks ? 0u : wanted & of_abreast & known_in_gaps(table)),
          merged_(wanted & ~fast_ & ~side_by_side_ & known_in_gaps(table)),
          full_(wanted & ~fast_ & ~side_by_side_ & ~merged_),
          abreast_(side_by_side_ ? table.n_rare_blocks() : 0, table.negatives_are_rare()),
          units_(resampler.n_units()),
          lane_units_(side_by_side_ ? n_lanes * units_.size() : 0),
          block_positives_(2 * table.n_rare_blocks() + 1, 0.0),
          block_negatives_(block_positives_.size(), 0.0),
          origin_(block_positives_.size()),
          all_positives_(full_ ? n_blocks : 0),
          all_negatives_(full_ ? n_blocks : 0),
          single_(fast_ && table.negatives_are_rare() ? table.n_gap_blocks() : 0),
          between_(single_.size() + 1) {}

    // So many replicates from this one on, at most one in each lane: values[lane][metric].
    void evaluate(std::uint64_t first, std::size_t count, double (*values)[n_rank_metrics]) {
        if (side_by_side_) evaluate_abreast(first, count, values);
        for (std::size_t k = 0; k < count; ++k) {
            const Wanted ends = side_by_side_ & bit(max_mcc) && !(values[k][max_mcc] >= 0) ? bit(max_mcc) : 0u;
            if (!(fast_ | merged_ | full_ | ends)) continue;  // the ends of the ranking count too, but rarely
            const Replicate drawn = side_by_side_ ? in_lane(k) : resampler_.draw(first + k, units_.data());
            evaluate_one(first + k, drawn, merged_ | ends, values[k]);
        }
    }

private:
    // What can be told where the blocks of a gap are merged.
    static Wanted known_in_gaps(const CoarseTable& table) {
        return table.negatives_are_rare() ? ~of_single_positives : ~0u;
    }

    void evaluate_abreast(std::uint64_t first, std::size_t count, double (*values)[n_rank_metrics]) {
        for (std::size_t k = count; k-- > 0;) in_lanes_ = resampler_.draw(first + k, lane_units_.data() + k, n_lanes);
        const auto parts = [&](std::size_t k, std::size_t gap) -> const std::vector<double>& {
            return parts_of_gap(first + k, gap, in_lanes_.gaps[gap * n_lanes + k]);
        };
        abreast_.evaluate(in_lanes_, side_by_side_, parts, values);
    }

    // The replicate of one lane, for those who look at one at a time.
    Replicate in_lane(std::size_t k) {
        for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = lane_units_[i * n_lanes + k];
        const auto here = [this](const std::uint32_t* there) {
            return units_.data() + static_cast<std::size_t>(there - lane_units_.data()) / n_lanes;
        };
        return {units_.data(), here(in_lanes_.gaps), in_lanes_.tied ? here(in_lanes_.tied) : nullptr};
    }

    void evaluate_one(std::uint64_t replicate, const Replicate& drawn, Wanted merged, double* values) {
        if (fast_) evaluate_untied(replicate, drawn, values);
        if (merged) evaluate_merged(replicate, drawn, merged, values);
        if (full_) {
            rows_.write_all(replicate, drawn, all_positives_.size(), all_positives_.data(), all_negatives_.data());
            write({all_positives_.data(), all_negatives_.data(), all_positives_.size()}, full_, nullptr, values);
        }
    }

    void evaluate_merged(std::uint64_t replicate, const Replicate& drawn, Wanted wanted, double* values) {
        const std::size_t size =
            rows_.write_merged(drawn, block_positives_.data(), block_negatives_.data(), origin_.data());
        const PartsOfBlock parts = [&](std::size_t block) -> const std::vector<double>& {
            return parts_of_block(replicate, drawn, block);
        };
        write({block_positives_.data(), block_negatives_.data(), size}, wanted, parts, values);
    }

    void evaluate_untied(std::uint64_t replicate, const Replicate& drawn, double* values) {
        if (!table_.negatives_are_rare()) {
            untied_.evaluate(drawn.rare, drawn.gaps, table_.n_rare_blocks(), values);
            return;
        }
        rows_.write_unfolded(replicate, drawn, single_.data(), between_.data());
        untied_.evaluate(single_.data(), between_.data(), single_.size(), values);
    }

    static void write(const Blocks& blocks, Wanted wanted, const PartsOfBlock& parts, double* values) {
        double found[n_rank_metrics];
        evaluate_ranks(blocks, wanted, found, parts);
        for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
            if (wanted & (1u << metric)) values[metric] = found[metric];
    }

    const std::vector<double>& parts_of_block(std::uint64_t replicate, const Replicate& drawn, std::size_t block) {
        if (origin_[block] % 2 == 1) {  // was not merged
            parts_.assign(1, block_positives_[block] + block_negatives_[block]);
            return parts_;
        }
        const std::size_t gap = origin_[block] / 2;
        return parts_of_gap(replicate, gap, drawn.gaps[gap]);
    }

    const std::vector<double>& parts_of_gap(std::uint64_t replicate, std::size_t gap, std::uint32_t total) {
        const auto& counts = rows_.refine(replicate, gap, total);
        parts_.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(table_.gap_size(gap)));
        return parts_;
    }

    const CoarseTable& table_;
    const Resampler& resampler_;
    Rows rows_;
    Wanted fast_, side_by_side_, merged_, full_;  // by what they need: what was drawn, lanes, merged gaps, all blocks
    Abreast abreast_;
    std::vector<std::uint32_t> units_, lane_units_;
    Replicate in_lanes_{};  // the first of those in the lanes
    std::vector<double> block_positives_, block_negatives_;
    std::vector<std::size_t> origin_;
    std::vector<double> all_positives_, all_negatives_, parts_;
    std::vector<std::uint32_t> single_, between_;
    UntiedAreas untied_;
};

}  // namespace

void bootstrap_ranks(const CoarseTable& table, std::size_t n_blocks, Design design, const ReplicateRange& range,
                     Wanted wanted, double* values) {
    const Resampler resampler(table, design, range.seed);
    const auto bundle = [&](RankWorker& worker, std::size_t start) {
        double metrics[n_lanes][n_rank_metrics];
        const std::size_t count = std::min(n_lanes, range.count - start);
        worker.evaluate(range.first + start, count, metrics);
        for (std::size_t k = 0; k < count; ++k)
            for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
                if (wanted & (1u << metric)) values[metric * range.count + start + k] = metrics[k][metric];
    };
    for_each_replicate((range.count + n_lanes - 1) / n_lanes, range.n_threads, [&] {
        return [&, worker = RankWorker(table, n_blocks, resampler, range.seed, wanted)](std::size_t i) mutable {
            bundle(worker, i * n_lanes);
        };
    });
}

void bootstrap_tables(const CoarseTable& table, std::size_t n_blocks, Design design, const ReplicateRange& range,
                      double* positives, double* negatives) {
    const Resampler resampler(table, design, range.seed);
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, units = std::vector<std::uint32_t>(resampler.n_units()),
                rows = Rows(table, range.seed)](std::size_t i) mutable {
            const std::uint64_t replicate = range.first + i;
            const Replicate drawn = resampler.draw(replicate, units.data());
            rows.write_all(replicate, drawn, n_blocks, positives + i * n_blocks, negatives + i * n_blocks);
        };
    });
}

}  // namespace unconfuse
