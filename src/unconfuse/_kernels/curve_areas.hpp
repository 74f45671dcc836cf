// Areas under curves, and what else is read off their corners.
#pragma once

#include <cstddef>
#include <vector>

#include "corners.hpp"
#include "hull.hpp"
#include "ranks.hpp"

namespace unconfuse {

// Straight lines through the precision-recall points, from (0, 1) on.
template <typename Number>
class TrapezoidArea {
public:
    UNCONFUSE_INLINE void see(const CornerOf<Number>& at) {
        const Number above = at.tp + at.fp, none = Number{};
        const Number before = choose(above > none, at.tp / above, each<Number>(1.0));
        const Number after = at.tp_after() / (at.tp + at.fp + at.positives + at.negatives);
        sum_ = sum_ + choose(at.positives > none, at.positives * (before + after) / 2.0, none);
    }
    UNCONFUSE_INLINE Number value(const TotalsOf<Number>& totals) const { return sum_ / totals.positives; }

private:
    Number sum_ = {};
};

// The area under the precision-recall-gain curve where the recall gain is 0 or more.
template <typename Number>
class GainArea {
public:
    UNCONFUSE_INLINE explicit GainArea(const TotalsOf<Number>& totals)
        : positives_(totals.positives),
          odds_(totals.positives / totals.negatives),
          zero_(positives_ * positives_ / (positives_ + totals.negatives)) {}

    UNCONFUSE_INLINE void see(const CornerOf<Number>& at) {
        const Number end = at.tp_after(), start = larger(at.tp, zero_);
        const auto counts = end > start;
        const Number skipped = choose(counts, (start - at.tp) * at.negatives / at.positives, Number{});
        const Number width = odds_ * positives_ * (end - start) / (start * end);
        const Number part = width * (1.0 - odds_ * ((at.fp + skipped) / start + at.fp_after() / end) / 2.0);
        area_ = area_ + choose(counts, part, Number{});
    }
    // Parts of a perfect curve may round to more.
    UNCONFUSE_INLINE Number value() const { return choose(area_ > each<Number>(1.0), each<Number>(1.0), area_); }

private:
    Number positives_, odds_, zero_;  // the last: true positives at which the recall gain is 0
    Number area_ = {};
};

// Where both error rates are equal: the ROC curve, straight within a block, meets the falling diagonal.
template <typename Number>
class EqualErrors {
public:
    UNCONFUSE_INLINE explicit EqualErrors(const TotalsOf<Number>& totals)
        : totals_(totals), pairs_(totals.positives * totals.negatives) {}

    UNCONFUSE_INLINE void see(const CornerOf<Number>& at) {
        const auto meets = (at.positives > Number{}) & (each<Number>(0.0) > excess(met_.tp_after(), met_.fp_after()));
        met_.tp = choose(meets, at.tp, met_.tp);
        met_.fp = choose(meets, at.fp, met_.fp);
        met_.positives = choose(meets, at.positives, met_.positives);
        met_.negatives = choose(meets, at.negatives, met_.negatives);
    }
    UNCONFUSE_INLINE Number value() const {
        const Number before = excess(met_.tp, met_.fp), after = excess(met_.tp_after(), met_.fp_after());
        const Number level = 1.0 - met_.tp / totals_.positives;  // met while recall stood still
        const Number within = (met_.fp + met_.negatives * ((0.0 - before) / (after - before))) / totals_.negatives;
        return choose(before >= Number{}, level, within);
    }

private:
    UNCONFUSE_INLINE Number excess(const Number& tp, const Number& fp) const {
        return tp * totals_.negatives + fp * totals_.positives - pairs_;
    }

    TotalsOf<Number> totals_;
    Number pairs_;
    CornerOf<Number> met_ = {};  // the first corner after which errors of the one kind outnumber the others
};

// The area under the ROC curve's convex hull.
double hull_area(const std::vector<HullPoint>& hull, ClassTotals totals);

// The H-measure with the prior Beta(1 + prevalence, 1 + 1 - prevalence) of the cost of a false positive.
double saved_loss(const std::vector<HullPoint>& hull, ClassTotals totals);

// Those of the two that are wanted.
void write_of_hull(const std::vector<HullPoint>& hull, ClassTotals totals, Wanted wanted, double* values);

// The area under the ROC curve up to a false positive rate, linear within a tie block; NaN where a class is empty.
double partial_area(const Blocks& blocks, double max_fpr);

// Precision at `nodes` within each block (0 is its start, 1 its end), averaged with `weights` and over the positives.
double mean_precision(const Blocks& blocks, const double* nodes, const double* weights, std::size_t n_nodes);

}  // namespace unconfuse
