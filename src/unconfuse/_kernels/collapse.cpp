#include "collapse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "in_vectors.hpp"
#include "parallel.hpp"
#include "radix_sort.hpp"
#include "score_codes.hpp"

namespace unconfuse {
namespace {

// A row that counts once: the code of its score and, in the last bit, its class. Rows of one score come in any order.
struct CodedCase {
    std::uint64_t bits;
    std::uint64_t key() const { return bits >> 1; }
};

void encode(const double* score, const bool* is_positive, std::size_t n, const ScoreCodes codes, CodedCase* cases) {
    const auto* const label = reinterpret_cast<const unsigned char*>(is_positive);  // compilers widen bytes, not bool
    in_vectors([=]() UNCONFUSE_LOOP {
        for (std::size_t i = 0; i < n; ++i) cases[i].bits = codes.code(score[i]) << 1 | (label[i] != 0 ? 1 : 0);
    });
}

// Each case becomes a block of its own, as with continuous scores. Either output may be the array of the cases.
void decode(const CodedCase* cases, std::size_t n, const ScoreCodes codes, std::uint64_t* score,
            std::uint64_t* counts) {
    const auto word = [](CaseCounts own) {
        std::uint64_t found;
        static_assert(sizeof found == sizeof own);
        std::memcpy(&found, &own, sizeof found);
        return found;
    };
    const std::uint64_t positive = word({1, 0}), negative = word({0, 1});
    constexpr std::size_t at_once = 16;  // read before either output is written
    const auto few = [=](std::size_t i, std::size_t m) UNCONFUSE_LOOP {
        std::uint64_t bits[at_once];
        for (std::size_t j = 0; j < m; ++j) bits[j] = cases[i + j].bits;
        for (std::size_t j = 0; j < m; ++j) score[i + j] = codes.score_bits(bits[j] >> 1);
        for (std::size_t j = 0; j < m; ++j) counts[i + j] = bits[j] & 1 ? positive : negative;
    };
    in_vectors([=]() UNCONFUSE_LOOP {
        std::size_t i = 0;
        for (; i + at_once <= n; i += at_once) few(i, at_once);
        if (i < n) few(i, n - i);
    });
}

bool all_differ(const std::uint64_t* score, std::size_t n) {
    return in_vectors([=]() UNCONFUSE_LOOP {
        std::uint64_t tied = 0;
        for (std::size_t i = 1; i < n; ++i) tied |= score[i] == score[i - 1] ? 1 : 0;
        return tied == 0;
    });
}

// Unites neighbouring blocks of one score, where both counts of a block are one number: neither runs over.
std::size_t unite_tied(std::uint64_t* score, std::uint64_t* counts, std::size_t n) {
    std::size_t next = 0;
    std::uint64_t last = score[0], sum = counts[0];
    for (std::size_t i = 1; i < n; ++i) {
        const std::uint64_t one = score[i];
        next += one != last ? 1 : 0;
        sum = (one != last ? 0 : sum) + counts[i];
        score[next] = last = one;
        counts[next] = sum;
    }
    return next + 1;
}

constexpr std::size_t pays_a_thread = std::size_t{1} << 17;

std::size_t useful_threads(std::size_t n, unsigned n_threads) {
    return std::min<std::size_t>(std::max(n_threads, 1u), n / pays_a_thread + 1);
}

ScoreExtent extent_of(const double* score, std::size_t n, unsigned n_threads) {
    std::vector<ScoreExtent> found(useful_threads(n, n_threads));
    const std::size_t parts = found.size();
    for_each_replicate(parts, n_threads, [&] {
        return [&](std::size_t part) {
            const std::size_t begin = n * part / parts;
            found[part] = ScoreExtent::of(score + begin, n * (part + 1) / parts - begin);
        };
    }, 1);
    for (const ScoreExtent& each : found) found[0].join(each);
    return found[0];
}

// Cases dealt into buckets by the first digit of their codes; each bucket is sorted and collapsed while it is in cache,
// by whichever thread comes to it. What comes out does not depend on the number of threads: counts are whole.
class CaseBuckets {
public:
    CaseBuckets(const ScoreCodes& codes, std::size_t n, unsigned n_threads, std::uint64_t* out_score,
                std::uint64_t* out_counts)
        : codes_(codes),
          n_(n),
          shift_(n < pays_buckets        ? 63
                 : codes.width() > digit ? codes.width() - digit
                                         : 0),
          score_(out_score),
          counts_(out_counts),
          scratch_(reinterpret_cast<CodedCase*>(out_score)),
          dealt_(reinterpret_cast<CodedCase*>(out_counts)),
          places_(useful_threads(n, n_threads)) {}

    std::size_t collapse(const double* score, const bool* is_positive) {
        each_part([=](std::size_t part) { count(score, is_positive, part); });
        allot();
        each_part([=](std::size_t part) { deal(score, is_positive, part); });
        for_each_replicate(n_buckets, n_parts(), [=] { return [=](std::size_t bucket) { collapse_at(bucket); }; }, 16);
        return closed_up();
    }

private:
    static constexpr unsigned digit = 10;
    static constexpr std::size_t n_buckets = std::size_t{1} << digit;
    static constexpr std::size_t pays_buckets = std::size_t{1} << 16;
    using Places = std::array<std::uint32_t, n_buckets>;

    unsigned n_parts() const { return static_cast<unsigned>(places_.size()); }
    std::size_t begin(std::size_t part) const { return n_ * part / n_parts(); }

    template <typename Work>
    void each_part(Work work) {
        for_each_replicate(n_parts(), n_parts(), [=] { return work; }, 1);
    }

    // Codes are made twice, in cache: that is faster than to write them down and read them again.
    template <typename Take>
    void each_case(const double* score, const bool* is_positive, std::size_t part, Take take) {
        std::array<CodedCase, 512> few;
        for (std::size_t i = begin(part), end = begin(part + 1); i < end; i += few.size()) {
            const std::size_t m = std::min(few.size(), end - i);
            encode(score + i, is_positive + i, m, codes_, few.data());
            for (std::size_t j = 0; j < m; ++j) take(few[j]);
        }
    }

    void count(const double* score, const bool* is_positive, std::size_t part) {
        Places& sizes = places_[part];
        each_case(score, is_positive, part, [&sizes, shift = shift_](CodedCase one) { ++sizes[one.key() >> shift]; });
    }

    // Where each part's cases of each bucket begin.
    void allot() {
        std::uint32_t total = 0;
        for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
            first_[bucket] = total;
            for (Places& places : places_) total += std::exchange(places[bucket], total);
        }
        first_[n_buckets] = total;
    }

    void deal(const double* score, const bool* is_positive, std::size_t part) {
        Places& next = places_[part];
        each_case(score, is_positive, part,
                  [&next, dealt = dealt_, shift = shift_](CodedCase one) { dealt[next[one.key() >> shift]++] = one; });
    }

    void collapse_at(std::size_t bucket) {
        const std::size_t first = first_[bucket], size = first_[bucket + 1] - first;
        if (size == 0) return;
        std::uint64_t *const score = score_ + first, *const counts = counts_ + first;
        const unsigned rest = std::min(shift_, codes_.width());
        decode(RadixSort<CodedCase>::sort(dealt_ + first, scratch_ + first, size, rest), size, codes_, score, counts);
        distinct_[bucket] =
            static_cast<std::uint32_t>(all_differ(score, size) ? size : unite_tied(score, counts, size));
    }

    // Where scores repeat, buckets leave room behind them.
    std::size_t closed_up() {
        std::size_t next = 0;
        for (std::size_t bucket = 0; bucket < n_buckets; next += distinct_[bucket++]) {
            if (next == first_[bucket]) continue;
            std::memmove(score_ + next, score_ + first_[bucket], distinct_[bucket] * sizeof *score_);
            std::memmove(counts_ + next, counts_ + first_[bucket], distinct_[bucket] * sizeof *counts_);
        }
        return next;
    }

    const ScoreCodes& codes_;
    std::size_t n_;
    unsigned shift_;
    std::uint64_t *score_, *counts_;
    CodedCase *scratch_, *dealt_;  // in the memory of the table
    std::vector<Places> places_;
    std::array<std::size_t, n_buckets + 1> first_{};
    Places distinct_{};
};

// Scores of which only a few are distinct are counted where they are found, and never sorted. Continuous scores are
// known by their first rows, so that looking costs them nothing; a few more values that come late cost one pass.
class FewValues {
public:
    // Whether all rows were counted.
    bool count(const double* score, const bool* is_positive, std::size_t n) {
        const auto* const label = reinterpret_cast<const unsigned char*>(is_positive);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t slot = slot_of(ordered_bits(score[i]));
            if (slot == n_slots) return false;
            ++counts_[i % lanes][2 * slot + (label[i] != 0 ? 1 : 0)];
        }
        return true;
    }

    void add_to(std::vector<std::pair<std::int64_t, CaseCounts>>& found) const {
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            CaseCounts sum{0, 0};
            for (const auto& lane : counts_) {
                sum.positives += lane[2 * slot + 1];
                sum.negatives += lane[2 * slot];
            }
            if (is_taken_[slot]) found.emplace_back(value_[slot], sum);
        }
    }

private:
    static constexpr unsigned slot_bits = 8;
    static constexpr std::size_t n_slots = std::size_t{1} << slot_bits, most = 64;
    static constexpr std::size_t lanes = 4;  // the next row need not wait until the same count has been written

    // Where a value is counted; n_slots if there are too many.
    std::size_t slot_of(std::int64_t value) {
        const std::uint64_t mixed = static_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15u;
        for (std::size_t slot = mixed >> (64 - slot_bits);; slot = (slot + 1) % n_slots) {
            if (value_[slot] == value && is_taken_[slot]) return slot;
            if (is_taken_[slot]) continue;
            if (taken_ == most) return n_slots;
            ++taken_;
            is_taken_[slot] = true;
            value_[slot] = value;
            return slot;
        }
    }

    std::array<std::int64_t, n_slots> value_{};
    std::array<bool, n_slots> is_taken_{};
    std::array<std::array<std::uint32_t, 2 * n_slots>, lanes> counts_{};
    std::size_t taken_ = 0;
};

using Counted = std::vector<std::pair<std::int64_t, CaseCounts>>;

// Each distinct score and its cases, the highest first; nothing if there are many.
std::optional<Counted> few_values(const double* score, const bool* is_positive, std::size_t n, unsigned n_threads) {
    const std::size_t glance = std::min<std::size_t>(n, 4096);  // before threads are started
    if (!FewValues().count(score, is_positive, glance)) return std::nullopt;
    std::vector<FewValues> parts(useful_threads(n, n_threads));
    std::vector<char> done(parts.size());
    const auto begin = [&](std::size_t part) { return n * part / parts.size(); };
    for_each_replicate(parts.size(), n_threads, [&] {
        return [&](std::size_t part) {
            done[part] =
                parts[part].count(score + begin(part), is_positive + begin(part), begin(part + 1) - begin(part));
        };
    }, 1);
    if (std::find(done.begin(), done.end(), 0) != done.end()) return std::nullopt;
    Counted all, united;
    for (const FewValues& each : parts) each.add_to(all);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [value, counts] : all) {
        if (united.empty() || united.back().first != value) united.emplace_back(value, CaseCounts{0, 0});
        united.back().second.positives += counts.positives;
        united.back().second.negatives += counts.negatives;
    }
    return united;
}

void write_down(const Counted& found, std::uint64_t* out_score, std::uint64_t* out_counts) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double score = score_of_ordered(found[i].first);
        std::memcpy(out_score + i, &score, sizeof score);
        std::memcpy(out_counts + i, &found[i].second, sizeof found[i].second);
    }
}

}  // namespace

std::optional<std::size_t> collapse_cases(const double* score, const bool* is_positive, std::size_t n,
                                          unsigned n_threads, std::uint64_t* out_score, std::uint64_t* out_counts) {
    if (n <= std::numeric_limits<std::uint32_t>::max()) {
        if (const auto found = few_values(score, is_positive, n, n_threads)) {
            write_down(*found, out_score, out_counts);
            return found->size();
        }
    }
    const ScoreCodes codes(extent_of(score, n, n_threads));
    if (codes.width() > 63 || n > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if (n == 0) return 0;
    return CaseBuckets(codes, n, n_threads, out_score, out_counts).collapse(score, is_positive);
}

std::size_t merge_tables(const Table& a, const Table& b, TableOut out) {
    std::size_t i = 0, j = 0, k = 0;
    while (i < a.size && j < b.size) {
        const bool take_a = !(a.score[i] < b.score[j]), take_b = !(b.score[j] < a.score[i]);
        out.score[k] = take_a ? a.score[i] : b.score[j];
        out.positives[k] = (take_a ? a.positives[i] : 0.0) + (take_b ? b.positives[j] : 0.0);
        out.negatives[k] = (take_a ? a.negatives[i] : 0.0) + (take_b ? b.negatives[j] : 0.0);
        i += take_a ? 1 : 0;
        j += take_b ? 1 : 0;
        ++k;
    }
    const Table& rest = i < a.size ? a : b;
    const std::size_t done = i < a.size ? i : j, left = rest.size - done;
    if (left > 0) {
        std::memcpy(out.score + k, rest.score + done, left * sizeof(double));
        std::memcpy(out.positives + k, rest.positives + done, left * sizeof(double));
        std::memcpy(out.negatives + k, rest.negatives + done, left * sizeof(double));
    }
    return k + left;
}

namespace {

// Neumaier's sum: the rounding error of each addition is kept and added at the end.
class CompensatedSum {
public:
    void add(double value) {
        const double next = sum_ + value;
        const double larger = std::fabs(sum_) >= std::fabs(value) ? sum_ : value;
        const double smaller = std::fabs(sum_) >= std::fabs(value) ? value : sum_;
        error_ += (larger - next) + smaller;
        sum_ = next;
    }
    double value() const { return sum_ + error_; }

private:
    double sum_ = 0.0, error_ = 0.0;
};

std::size_t collapse_sorted_rows(const WeightedRow* rows, std::size_t n, const ScoreCodes& codes, TableOut out) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++k) {
        const std::uint64_t key = rows[i].code;
        CompensatedSum positives, negatives;
        for (; i < n && rows[i].code == key; ++i) {
            const double weight = rows[i].signed_weight;
            if (weight > 0.0)
                positives.add(weight);
            else
                negatives.add(-weight);
        }
        out.score[k] = codes.score(key);
        out.positives[k] = positives.value();
        out.negatives[k] = negatives.value();
    }
    return k;
}

}  // namespace

std::size_t collapse_weighted(const double* score, const bool* is_positive, const double* weights, std::size_t n,
                              WeightedRow* room, TableOut out) {
    const ScoreCodes codes(score, n);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double weight = weights ? weights[i] : 1.0;
        room[kept] = {codes.code(score[i]), is_positive[i] ? weight : -weight};
        kept += weight != 0.0 ? 1 : 0;
    }
    const WeightedRow* const sorted = RadixSort<WeightedRow>::sort(room, room + n, kept, codes.width());
    return collapse_sorted_rows(sorted, kept, codes, out);
}

}  // namespace unconfuse
