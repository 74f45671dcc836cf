// The labelled sets with the largest F1, TPR - FPR, FPR - TPR and MCC.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "corners.hpp"
#include "lanes.hpp"
#include "ranks.hpp"

namespace unconfuse {

constexpr double alike = 1e-13;  // all cases are labelled alike, but for the rounding of weights

template <typename Number>
struct LabelledOf {
    Number tp = {}, fp = {};
};
using Labelled = LabelledOf<double>;

inline double mcc_of(double tp, double fp, ClassTotals totals) {
    const double P = totals.positives, N = totals.negatives, queue = tp + fp, spread = queue * (P + N - queue);
    if (spread <= alike * (P + N) * (P + N)) return std::numeric_limits<double>::quiet_NaN();
    return std::clamp((tp * N - fp * P) / (std::sqrt(spread * P) * std::sqrt(N)), -1.0, 1.0);  // rounding may leave it
}

// Along a noisy curve every other corner may be the best so far: branches would be mispredicted, so there are none.
template <typename Number>
class BestCuts {
public:
    UNCONFUSE_INLINE explicit BestCuts(const TotalsOf<Number>& totals)
        : totals_(totals),
          cases_(totals.positives + totals.negatives),
          per_pair_(1.0 / (totals.positives * totals.negatives)),
          per_case_(1.0 / cases_) {}

    UNCONFUSE_INLINE void see(const CornerOf<Number>& at) {
        const LabelledOf<Number> before{at.tp, at.fp}, after{at.tp_after(), at.fp_after()};
        const auto is_corner = at.positives > Number{};
        const Number queue = after.tp + after.fp;
        half_f1_ = larger(half_f1_, after.tp / (totals_.positives + queue));
        const Number lead = after.tp * totals_.negatives - after.fp * totals_.positives;
        const Number fall = before.fp * totals_.positives - before.tp * totals_.negatives;
        const Number spread = queue * (cases_ - queue) * per_case_ * per_case_, share = lead * per_pair_;
        const Number square = share * magnitude(share) / spread;
        keep(is_corner & (lead > most_lead_), lead, after, most_lead_, highest_);
        keep(is_corner & (fall > most_fall_), fall, before, most_fall_, lowest_);
        keep(is_corner & (spread > each<Number>(alike)) & (square > most_square_), square, after, most_square_, mcc_);
    }

    // Writes the metrics of one lane. The MCC is that after a block with positives: where it is negative, it may be
    // larger elsewhere.
    void write(double* values, std::size_t k = 0) const {
        const ClassTotals totals{lane(totals_.positives, k), lane(totals_.negatives, k)};
        const auto youden = [&](const LabelledOf<Number>& set) {
            return lane(set.tp, k) / totals.positives - lane(set.fp, k) / totals.negatives;
        };
        values[max_f1] = 2 * lane(half_f1_, k);
        values[max_youden] = youden(highest_);
        values[ks] = std::max(values[max_youden], -youden(lowest_));
        values[max_mcc] = mcc_of(lane(mcc_.tp, k), lane(mcc_.fp, k), totals);
    }

private:
    template <typename Mask>
    static UNCONFUSE_INLINE void keep(const Mask& where, const Number& value, const LabelledOf<Number>& set,
                                      Number& most, LabelledOf<Number>& best) {
        most = choose(where, value, most);
        best.tp = choose(where, set.tp, best.tp);
        best.fp = choose(where, set.fp, best.fp);
    }

    TotalsOf<Number> totals_;
    LabelledOf<Number> highest_, lowest_, mcc_;
    Number half_f1_ = {};
    Number cases_, per_pair_, per_case_;
    Number most_lead_ = {}, most_fall_ = {};
    Number most_square_ = each<Number>(-std::numeric_limits<double>::infinity());
};

}  // namespace unconfuse
