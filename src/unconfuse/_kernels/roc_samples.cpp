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

// The false positive rate of a random positive from 32 random bits. The first says from which end of the table to look,
// the others how far from it: no branch that a processor could guess wrong.
double random_fpr(const RocTable& roc, std::uint32_t bits) {
    const std::size_t side = bits >> 31;
    double place = (static_cast<std::int32_t>(bits & 0x7FFFFFFFu) + 0.5) * 0x1p-31;
    std::size_t level = 0;
    for (; place < 1.0 / 16 && level + 1 < RocTable::n_levels; ++level) place *= 16;
    const double at = place * RocTable::n_knots;
    const std::int32_t knot = static_cast<std::int32_t>(at);
    const double* const value = roc.fpr + (side * RocTable::n_levels + level) * (RocTable::n_knots + 1) + knot;
    return value[0] + (at - knot) * (value[1] - value[0]);
}

// For nearly sorted values. One pass without branches puts most neighbours right, so that the sort hardly
// ever moves any.
void insertion_sort(std::vector<double>& values) {
    double largest = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double next = values[i];
        values[i - 1] = std::min(largest, next);
        largest = std::max(largest, next);
    }
    values.back() = largest;
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
    Sampler(const RocTable& roc, const Multinomial& negatives, std::uint32_t n_positives, std::uint64_t seed,
            Wanted wanted)
        : roc_(roc),
          negatives_(negatives),
          seed_(seed),
          wanted_(wanted),
          n_negatives_(negatives.total()),
          place_(n_positives),
          sorted_(n_positives),
          ones_(n_positives, 1u),
          gaps_(n_positives + 1),
          last_bucket_(static_cast<std::int32_t>(negatives.size()) - 1),
          in_bucket_(negatives.size()),
          before_(negatives.size() + 1),
          positives_before_(negatives.size() + 1) {
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
        for (std::size_t i = 0; i < place_.size(); i += 2) {
            const std::uint64_t bits = random.bits();  // enough for two
            count_positive(i, static_cast<std::uint32_t>(bits >> 32), n_buckets);
            if (i + 1 < place_.size()) count_positive(i + 1, static_cast<std::uint32_t>(bits), n_buckets);
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

    void count_positive(std::size_t i, std::uint32_t bits, double n_buckets) {
        place_[i] = random_fpr(roc_, bits) * n_buckets;
        ++positives_before_[bucket_of(place_[i]) + 1];
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
        const double within = (place - static_cast<std::int32_t>(bucket)) * 0x1p32;
        const std::uint32_t limit =
            static_cast<std::uint32_t>(std::min<std::int64_t>(static_cast<std::int64_t>(within), 0xFFFFFFFF));
        const std::uint32_t count = in_bucket_[bucket];
        std::uint64_t name = key + static_cast<std::uint64_t>(bucket) * 0x9E3779B97F4A7C15ull;
        // Two from one hash; most buckets hold no more, and these are counted without a branch.
        const auto above_of_two = [&](std::uint32_t left) {
            const std::uint64_t places = mix(name);
            const unsigned first = static_cast<std::uint32_t>(places >> 32) < limit;
            const unsigned second = static_cast<std::uint32_t>(places) < limit;
            return (first & static_cast<unsigned>(left > 0)) + (second & static_cast<unsigned>(left > 1));
        };
        std::uint32_t above = before_[bucket] + above_of_two(count);
        for (std::uint32_t i = 2; i < count; i += 2) {
            name += 0xD1B54A32D192ED03ull;
            above += above_of_two(count - i);
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
