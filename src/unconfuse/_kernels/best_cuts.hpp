// The labelled sets with the largest F1, TPR - FPR, FPR - TPR and MCC.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "corners.hpp"
#include "ranks.hpp"

namespace unconfuse {

constexpr double alike = 1e-13;  // all cases are labelled alike, but for the rounding of weights

struct Labelled {
    double tp = 0, fp = 0;
};

// Along a noisy curve every other corner may be the best so far: branches would be mispredicted. So each piece of
// corners is first gone through without any, and only a piece that holds a new best is looked at again.
class BestCuts {
public:
    explicit BestCuts(ClassTotals totals)
        : totals_(totals),
          cases_(totals.positives + totals.negatives),
          per_pair_(1 / (totals.positives * totals.negatives)),
          per_case_(1 / cases_) {}

    void see(const Corners& at) {
        double f1[Corners::room], lead[Corners::room], fall[Corners::room], square[Corners::room];
        for (std::size_t i = 0; i < at.size; ++i) {
            const double tp = at.tp[i] + at.positives[i], fp = at.fp[i] + at.negatives[i], queue = tp + fp;
            f1[i] = tp / (totals_.positives + queue);
            lead[i] = tp * totals_.negatives - fp * totals_.positives;
            fall[i] = at.fp[i] * totals_.positives - at.tp[i] * totals_.negatives;
            const double spread = queue * (cases_ - queue) * per_case_ * per_case_, share = lead[i] * per_pair_;
            square[i] = spread > alike ? share * std::fabs(share) / spread : nothing;
        }
        const double best_f1 = largest(f1, at.size);
        if (best_f1 > half_f1) half_f1 = best_f1;
        if (keep(lead, at.size, most_lead_)) highest = after(at, place_);
        if (keep(fall, at.size, most_fall_)) lowest = {at.tp[place_], at.fp[place_]};
        if (keep(square, at.size, most_square_)) mcc = after(at, place_);
    }

    Labelled highest, lowest, mcc;
    double half_f1 = 0;

private:
    static constexpr double nothing = -std::numeric_limits<double>::infinity();

    static Labelled after(const Corners& at, std::size_t i) {
        return {at.tp[i] + at.positives[i], at.fp[i] + at.negatives[i]};
    }

    // Four at a time, which compilers turn into instructions for several numbers.
    static double largest(const double* values, std::size_t n) {
        double lane[4] = {nothing, nothing, nothing, nothing};
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (std::size_t k = 0; k < 4; ++k) lane[k] = values[i + k] > lane[k] ? values[i + k] : lane[k];
        for (; i < n; ++i) lane[0] = values[i] > lane[0] ? values[i] : lane[0];
        const double left = lane[0] > lane[1] ? lane[0] : lane[1], right = lane[2] > lane[3] ? lane[2] : lane[3];
        return left > right ? left : right;
    }

    // Whether the largest is larger than the largest so far; then it is the new one, and `place_` says where it is.
    bool keep(const double* values, std::size_t n, double& most) {
        const double here = largest(values, n);
        if (!(here > most)) return false;
        most = here;
        place_ = 0;
        while (values[place_] != here) ++place_;
        return true;
    }

    ClassTotals totals_;
    double cases_, per_pair_, per_case_;
    double most_lead_ = 0, most_fall_ = 0, most_square_ = nothing;
    std::size_t place_ = 0;
};

}  // namespace unconfuse
