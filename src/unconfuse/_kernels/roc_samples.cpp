#include "roc_samples.hpp"

#include <algorithm>
#include <vector>

#include "multinomial.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "untied_areas.hpp"

namespace unconfuse {
namespace {

constexpr std::size_t fewest_buckets = 64, most_buckets = std::size_t{1} << 17;
constexpr std::uint32_t crowded = 32;  // positives in one bucket from which insertion sort is too slow

std::size_t bucket_count(std::uint32_t n_positives, std::uint32_t n_negatives) {
    const std::size_t wanted = std::size_t{3} * std::min(n_positives, n_negatives) / 2;
    std::size_t count = fewest_buckets;
    while (count < wanted && count < most_buckets) count *= 2;
    return count;
}

// Signed conversions are single instructions; unsigned ones are not.
double as_double(std::uint64_t below_2_to_63) { return static_cast<double>(static_cast<std::int64_t>(below_2_to_63)); }

// The false positive rate of a random positive. The top bit says from which end of the table to look, the others how
// far from it: no branch that a processor could guess wrong.
double random_fpr(const RocTable& roc, std::uint64_t bits) {
    const std::size_t side = bits >> 63;
    double place = as_double((bits << 1) >> 11) * 0x1p-53;
    std::size_t level = 0;
    for (; place < 1.0 / 16 && level + 1 < RocTable::n_levels; ++level) place *= 16;
    const double at = place * RocTable::n_knots;
    const std::int32_t knot = static_cast<std::int32_t>(at);
    const double* const value = roc.fpr + (side * RocTable::n_levels + level) * (RocTable::n_knots + 1) + knot;
    return value[0] + (at - static_cast<double>(knot)) * (value[1] - value[0]);
}

// For nearly sorted values.
void insertion_sort(std::vector<double>& values) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double value = values[i];
        std::size_t place = i;
        for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
        values[place] = value;
    }
}

// Draws and evaluates samples one after the other in memory of its own.
class Sampler {
public:
    Sampler(const RocTable& roc, const Multinomial& negatives, std::uint32_t n_positives, std::uint64_t seed, Wanted wanted)
        : roc_(roc), negatives_(negatives), seed_(seed), wanted_(wanted), n_negatives_(negatives.total()),
          place_(n_positives), sorted_(n_positives), ones_(n_positives, 1u), gaps_(n_positives + 1),
          last_bucket_(static_cast<std::int32_t>(negatives.size()) - 1), in_bucket_(negatives.size()), before_(negatives.size() + 1), positives_before_(negatives.size() + 1) {
        if (wanted & ~first_areas) {
            block_positives_.assign(2 * std::size_t{n_positives} + 1, 0.0);
            for (std::size_t i = 0; i < n_positives; ++i) block_positives_[2 * i + 1] = 1.0;
            block_negatives_.assign(block_positives_.size(), 0.0);
        }
    }

    void evaluate(std::uint64_t sample, double* values) {
        Generator random(seed_, sample, 0);
        draw_positives(random);
        negatives_.draw(random, in_bucket_.data());
        fill_gaps(random.bits());
        if (wanted_ & first_areas) untied_.evaluate(ones_.data(), gaps_.data(), ones_.size(), values);
        const Wanted rest = wanted_ & ~first_areas;
        if (!rest) return;
        for (std::size_t i = 0; i < gaps_.size(); ++i) block_negatives_[2 * i] = gaps_[i];
        double general[n_rank_metrics];
        evaluate_ranks({block_positives_.data(), block_negatives_.data(), block_positives_.size()}, rest, general,
                       [this](std::size_t block) -> const std::vector<double>& { return single_negatives(block); });
        for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
            if (rest & (1u << metric)) values[metric] = general[metric];
    }

private:
    // Every negative of a gap is a block of its own.
    const std::vector<double>& single_negatives(std::size_t block) {
        parts_.assign(static_cast<std::size_t>(block_negatives_[block]), 1.0);
        return parts_;
    }

    std::size_t bucket_of(double place) const {
        return static_cast<std::size_t>(std::min(static_cast<std::int32_t>(place), last_bucket_));
    }

    // Places on the negatives' scale, in units of buckets, best first: counted into buckets, then sorted within.
    void draw_positives(Generator& random) {
        const double n_buckets = static_cast<double>(in_bucket_.size());
        std::fill(positives_before_.begin(), positives_before_.end(), 0u);
        for (double& place : place_) {
            place = random_fpr(roc_, random.bits()) * n_buckets;
            ++positives_before_[bucket_of(place) + 1];
        }
        std::uint32_t most = 0, sum = 0;
        for (std::uint32_t& count : positives_before_) {
            most = std::max(most, count);
            count = sum += count;
        }
        for (const double place : place_) sorted_[positives_before_[bucket_of(place)]++] = place;
        if (most > crowded) sort_crowded_buckets();
        insertion_sort(sorted_);
    }

    // After counting, positives_before_[b] is where bucket b ends.
    void sort_crowded_buckets() {
        std::uint32_t start = 0;
        for (const std::uint32_t end : positives_before_) {
            if (end > start + crowded) std::sort(sorted_.begin() + start, sorted_.begin() + end);
            start = end;
        }
    }

    // gaps_[i]: negatives between positives i - 1 and i, from the best score down.
    void fill_gaps(std::uint64_t key) {
        std::uint32_t sum = 0;
        for (std::size_t b = 0; b < in_bucket_.size(); ++b) {
            before_[b] = sum;
            sum += in_bucket_[b];
        }
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < sorted_.size(); ++i) {
            const std::uint32_t above = negatives_above(sorted_[i], key);
            gaps_[i] = above - last;
            last = above;
        }
        gaps_[sorted_.size()] = n_negatives_ - last;
    }

    // The places of a bucket's negatives are hashes of their numbers, so that every positive there sees the same ones.
    std::uint32_t negatives_above(double place, std::uint64_t key) const {
        const std::size_t bucket = bucket_of(place);
        const double within = (place - as_double(bucket)) * 0x1p53;
        const std::uint32_t count = in_bucket_[bucket];
        std::uint64_t name = key + static_cast<std::uint64_t>(bucket) * 0x9E3779B97F4A7C15ull;
        const auto is_above = [&] { return static_cast<std::uint32_t>(as_double(mix(name) >> 11) < within); };
        // Most buckets hold at most two: counted without a branch.
        std::uint32_t above = before_[bucket] + (is_above() & static_cast<std::uint32_t>(count > 0));
        name += 0xD1B54A32D192ED03ull;
        above += is_above() & static_cast<std::uint32_t>(count > 1);
        for (std::uint32_t i = 2; i < count; ++i) {
            name += 0xD1B54A32D192ED03ull;
            above += is_above();
        }
        return above;
    }

    const RocTable roc_;
    const Multinomial& negatives_;
    std::uint64_t seed_;
    Wanted wanted_;
    std::uint32_t n_negatives_;
    std::vector<double> place_, sorted_;
    std::vector<std::uint32_t> ones_, gaps_;
    std::int32_t last_bucket_;
    std::vector<std::uint32_t> in_bucket_, before_, positives_before_;
    std::vector<double> block_positives_, block_negatives_, parts_;
    UntiedAreas untied_;
};

}  // namespace

void roc_samples(const RocTable& roc, std::uint32_t n_positives, std::uint32_t n_negatives, const ReplicateRange& range,
                 Wanted wanted, double* values) {
    const Multinomial negatives(std::vector<double>(bucket_count(n_positives, n_negatives), 1.0), n_negatives);
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, sampler = Sampler(roc, negatives, n_positives, range.seed, wanted)](std::size_t i) mutable {
            double metrics[n_rank_metrics];
            sampler.evaluate(range.first + i, metrics);
            for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
                if (wanted & (1u << metric)) values[metric * range.count + i] = metrics[metric];
        };
    });
}

}  // namespace unconfuse
