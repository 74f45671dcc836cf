// Areas under curves, and what else is read off their corners.
#pragma once

#include <cstddef>
#include <vector>

#include "corners.hpp"
#include "hull.hpp"
#include "ranks.hpp"

namespace unconfuse {

// Straight lines through the precision-recall points, from (0, 1) on.
class TrapezoidArea {
public:
    void see(const Corner& at) {
        const double above = at.tp + at.fp, before = above > 0 ? at.tp / above : 1.0;
        const double after = at.tp_after() / (at.tp + at.fp + at.positives + at.negatives);
        sum_ += at.positives * (before + after) / 2;
    }
    double value(ClassTotals totals) const { return sum_ / totals.positives; }

private:
    double sum_ = 0;
};

// The area under the precision-recall-gain curve where the recall gain is 0 or more.
class GainArea {
public:
    explicit GainArea(ClassTotals totals)
        : positives_(totals.positives),
          odds_(totals.positives / totals.negatives),
          zero_(positives_ * positives_ / (positives_ + totals.negatives)) {}

    void see(const Corner& at) {
        const double end = at.tp_after(), start = at.tp > zero_ ? at.tp : zero_;
        if (!(end > start)) return;
        const double fp_start = at.fp + (start - at.tp) * at.negatives / at.positives;
        const double width = odds_ * positives_ * (end - start) / (start * end);
        area_ += width * (1 - odds_ * (fp_start / start + at.fp_after() / end) / 2);
    }
    double value() const { return area_ > 1 ? 1 : area_; }  // parts of a perfect curve may round to more

private:
    double positives_, odds_, zero_;  // the last: true positives at which the recall gain is 0
    double area_ = 0;
};

// Where both error rates are equal: the ROC curve, straight within a block, meets the falling diagonal.
class EqualErrors {
public:
    explicit EqualErrors(ClassTotals totals) : totals_(totals), pairs_(totals.positives * totals.negatives) {}

    void see(const Corner& at) {
        if (found_) return;
        const double before = excess(at.tp, at.fp), after = excess(at.tp_after(), at.fp_after());
        if (before >= 0) {  // met while recall stood still
            rate_ = 1 - at.tp / totals_.positives;
            found_ = true;
        } else if (after >= 0) {
            rate_ = (at.fp + at.negatives * (-before / (after - before))) / totals_.negatives;
            found_ = true;
        }
    }
    double value() const { return rate_; }

private:
    double excess(double tp, double fp) const { return tp * totals_.negatives + fp * totals_.positives - pairs_; }

    ClassTotals totals_;
    double pairs_, rate_ = 0;
    bool found_ = false;
};

// The area under the ROC curve's convex hull.
double hull_area(const std::vector<HullPoint>& hull, ClassTotals totals);

// The H-measure with the prior Beta(1 + prevalence, 1 + 1 - prevalence) of the cost of a false positive.
double saved_loss(const std::vector<HullPoint>& hull, ClassTotals totals);

// The area under the ROC curve up to a false positive rate, linear within a tie block; NaN where a class is empty.
double partial_area(const Blocks& blocks, double max_fpr);

// Precision at `nodes` within each block (0 is its start, 1 its end), averaged with `weights` and over the positives.
double mean_precision(const Blocks& blocks, const double* nodes, const double* weights, std::size_t n_nodes);

}  // namespace unconfuse
