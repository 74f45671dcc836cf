#include "collapse.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "radix_sort.hpp"
#include "score_codes.hpp"

namespace unconfuse {
namespace {

// A row that counts once: the code of its score and, in the last bit, its class. Rows of one score come in any order.
struct CodedCase {
    std::uint64_t bits;
    std::uint64_t key() const { return bits >> 1; }
    std::uint64_t is_positive() const { return bits & 1; }
};

// Blocks take the places of cases that were read already: either output may be the array of the cases.
std::size_t collapse_sorted_cases(const CodedCase* cases, std::size_t n, const ScoreCodes& codes, std::uint64_t* score,
                                  std::uint64_t* counts) {
    std::size_t next = 0, first = 0, positives = 0;
    CodedCase one = cases[0];
    for (std::size_t i = 0; i < n; ++i) {
        positives += one.is_positive();
        const CodedCase following = i + 1 < n ? cases[i + 1] : CodedCase{~one.bits};
        const std::size_t size = i + 1 - first;
        const CaseCounts block{static_cast<std::uint32_t>(positives), static_cast<std::uint32_t>(size - positives)};
        const double value = codes.score(one.key());
        std::memcpy(score + next, &value, sizeof value);
        std::memcpy(counts + next, &block, sizeof block);
        const bool ends = following.key() != one.key();  // otherwise the next row writes the block again, larger
        next += ends ? 1 : 0;
        first = ends ? i + 1 : first;
        positives = ends ? 0 : positives;
        one = following;
    }
    return next;
}

}  // namespace

std::optional<std::size_t> collapse_cases(const double* score, const bool* is_positive, std::size_t n,
                                          std::uint64_t* out_score, std::uint64_t* out_counts) {
    const ScoreCodes codes(score, n);
    if (codes.width() > 63 || n > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if (n == 0) return 0;
    auto *const cases = reinterpret_cast<CodedCase*>(out_score), *const scratch =
                                                                     reinterpret_cast<CodedCase*>(out_counts);
    for (std::size_t i = 0; i < n; ++i) cases[i].bits = codes.code(score[i]) << 1 | (is_positive[i] ? 1 : 0);
    const CodedCase* const sorted = RadixSort<CodedCase>::sort(cases, scratch, n, codes.width());
    return collapse_sorted_cases(sorted, n, codes, out_score, out_counts);
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
