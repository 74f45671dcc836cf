#include "collapse.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "sort_key.hpp"

namespace unconfuse {

std::size_t count_true(const bool* flags, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += flags[i] ? 1 : 0;
    return count;
}

// Every score is written to both arrays and only one cursor moves: no branch to mispredict. The last slot of a full
// array would be overrun by the other class, so those writes go to a spare place.
void split_by_class(const double* score, const bool* is_positive, std::size_t n, double* positive_scores,
                    double* negative_scores) {
    double spare = 0.0;
    double* const positive_end = positive_scores + count_true(is_positive, n);
    double* const negative_end = negative_scores + (n - static_cast<std::size_t>(positive_end - positive_scores));
    for (std::size_t i = 0; i < n; ++i) {
        const double value = score[i] + 0.0;  // -0.0 + 0.0 is 0.0
        const std::size_t positive = is_positive[i] ? 1 : 0;
        *(positive_scores == positive_end ? &spare : positive_scores) = value;
        *(negative_scores == negative_end ? &spare : negative_scores) = value;
        positive_scores += positive;
        negative_scores += 1 - positive;
    }
}

namespace {

// Writes the blocks of one class once the other is used up; continues block `k` if its score is the same.
std::size_t append_rest(const double* scores, std::size_t remaining, double* out_score, double* own, double* other,
                        std::size_t k) {
    while (remaining > 0) {
        const double value = scores[--remaining];
        if (k > 0 && out_score[k - 1] == value) {
            own[k - 1] += 1.0;
            continue;
        }
        out_score[k] = value;
        own[k] = 1.0;
        other[k] = 0.0;
        ++k;
    }
    return k;
}

}  // namespace

std::size_t merge_classes(const double* positive_scores, std::size_t n_positives, const double* negative_scores,
                          std::size_t n_negatives, TableOut out) {
    std::size_t i = n_positives, j = n_negatives, k = 0;
    std::size_t i_at_block = i, j_at_block = j;
    double last = std::numeric_limits<double>::quiet_NaN();  // equals no score
    // Which class comes next is a coin toss, so the loop has no branch on it: sums instead of ifs. `!(a < b)` rather
    // than `a >= b` makes sure that something advances even if a NaN slips in.
    while (i > 0 && j > 0) {
        const double p = positive_scores[i - 1], q = negative_scores[j - 1];
        const std::size_t take_positive = !(p < q), take_negative = !(q < p);
        const double value = p < q ? q : p;
        const std::size_t starts_block = !(value == last);
        i_at_block = starts_block ? i : i_at_block;
        j_at_block = starts_block ? j : j_at_block;
        k += starts_block;
        i -= take_positive;
        j -= take_negative;
        out.score[k - 1] = value;
        out.positives[k - 1] = static_cast<double>(static_cast<std::int64_t>(i_at_block - i));
        out.negatives[k - 1] = static_cast<double>(static_cast<std::int64_t>(j_at_block - j));
        last = value;
    }
    k = append_rest(positive_scores, i, out.score, out.positives, out.negatives, k);
    return append_rest(negative_scores, j, out.score, out.negatives, out.positives, k);
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

}  // namespace

std::size_t pack_rows(const double* score, const bool* is_positive, const double* weights, std::size_t n,
                      WeightedRow* rows) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (weights[i] == 0.0) continue;
        rows[kept++] = {descending_key(score[i]), is_positive[i] ? weights[i] : -weights[i]};
    }
    return kept;
}

std::size_t collapse_sorted_rows(const WeightedRow* rows, std::size_t n, TableOut out) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++k) {
        const std::uint64_t key = rows[i].key;
        CompensatedSum positives, negatives;
        for (; i < n && rows[i].key == key; ++i) {
            const double weight = rows[i].signed_weight;
            if (weight > 0.0) positives.add(weight);
            else negatives.add(-weight);
        }
        out.score[k] = value_of_key(key);
        out.positives[k] = positives.value();
        out.negatives[k] = negatives.value();
    }
    return k;
}

}  // namespace unconfuse
