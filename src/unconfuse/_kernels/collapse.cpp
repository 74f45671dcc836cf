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

// Every score is written to both arrays and only one cursor moves: no branch to mispredict. A full array would be
// overrun by the other class, so those writes go to a spare place.
void split_by_class(const double* score, const bool* is_positive, bool smaller_flag, std::size_t n, double* smaller,
                    double* larger) {
    const std::size_t n_positives = count_true(is_positive, n);
    const std::size_t n_smaller = smaller_flag ? n_positives : n - n_positives;
    const double* const smaller_end = smaller + n_smaller;
    const double* const larger_end = larger + (n - n_smaller);
    double spare = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = -score[i];
        const std::size_t is_smaller = is_positive[i] == smaller_flag ? 1 : 0;
        *(smaller == smaller_end ? &spare : smaller) = value;
        *(larger == larger_end ? &spare : larger) = value;
        smaller += is_smaller;
        larger += 1 - is_smaller;
    }
}

namespace {

// Writes the blocks of one class once the other is used up; continues block `k` if its score is the same.
std::size_t append_rest(const double* negated, std::size_t n, double* score, double* own, double* other,
                        std::size_t k) {
    for (std::size_t i = 0; i < n; ++i) {
        const double value = 0.0 - negated[i];
        if (k > 0 && score[k - 1] == value) {
            own[k - 1] += 1.0;
            continue;
        }
        score[k] = value;
        own[k] = 1.0;
        other[k] = 0.0;
        ++k;
    }
    return k;
}

}  // namespace

std::size_t merge_classes(const double* smaller, std::size_t n_smaller, std::size_t n_larger, double* score,
                          double* smaller_counts, double* larger_counts) {
    const double* const larger = score + n_smaller;
    std::size_t i = 0, j = 0, k = 0, i_at_block = 0, j_at_block = 0;
    double last = std::numeric_limits<double>::quiet_NaN();  // equals no score
    // Which class comes next is a coin toss, so the loop has no branch on it: sums instead of ifs. `!(a < b)` rather
    // than `a >= b` makes sure that something advances even if a NaN slips in.
    while (i < n_smaller && j < n_larger) {
        const double a = smaller[i], b = larger[j];
        const std::size_t take_smaller = !(b < a), take_larger = !(a < b);
        const double value = 0.0 - (b < a ? b : a);  // never -0.0
        const std::size_t starts_block = !(value == last);
        i_at_block = starts_block ? i : i_at_block;
        j_at_block = starts_block ? j : j_at_block;
        k += starts_block;
        i += take_smaller;
        j += take_larger;
        score[k - 1] = value;
        smaller_counts[k - 1] = static_cast<double>(static_cast<std::int64_t>(i - i_at_block));
        larger_counts[k - 1] = static_cast<double>(static_cast<std::int64_t>(j - j_at_block));
        last = value;
    }
    k = append_rest(smaller + i, n_smaller - i, score, smaller_counts, larger_counts, k);
    return append_rest(larger + j, n_larger - j, score, larger_counts, smaller_counts, k);
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
            if (weight > 0.0)
                positives.add(weight);
            else
                negatives.add(-weight);
        }
        out.score[k] = value_of_key(key);
        out.positives[k] = positives.value();
        out.negatives[k] = negatives.value();
    }
    return k;
}

}  // namespace unconfuse
