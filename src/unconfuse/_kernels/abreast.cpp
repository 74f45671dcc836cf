#include "abreast.hpp"

#include <algorithm>
#include <limits>

#include "best_cuts.hpp"
#include "corners.hpp"
#include "curve_areas.hpp"
#include "in_vectors.hpp"

namespace unconfuse {
namespace {

// How far from a point lie the two whose line it must not be below to be a vertex of the hull. More of them leave fewer
// candidates; these seven took the least time of five sets tried, on 500, 1,000 and 10,000 positives.
constexpr std::size_t distances[] = {1, 2, 4, 8, 16, 32, 64}, farthest = 64;

UNCONFUSE_INLINE Lanes counts_at(const std::uint32_t* counts) {
    double found[n_lanes];
    for (std::size_t k = 0; k < n_lanes; ++k) found[k] = static_cast<std::int32_t>(counts[k]);  // of at most 2^31 cases
    return lanes_at(found);
}

UNCONFUSE_INLINE Lanes counts_or_none(const std::uint32_t* counts, std::size_t at) {
    return counts ? counts_at(counts + at) : Lanes{};
}

}  // namespace

Abreast::Abreast(std::size_t n_blocks, bool gaps_are_positive)
    : n_(n_blocks),
      drawn_{nullptr, nullptr, nullptr, gaps_are_positive},
      tp_(n_lanes * (n_ + 1)),
      fp_(tp_.size()),
      outranked_(tp_.size()),
      n_points_(gaps_are_positive ? 2 * n_ + 1 : n_),
      tp_after_(n_lanes * (n_points_ + 2 * farthest)),
      fp_after_(tp_after_.size()),
      own_(n_lanes * n_points_),
      candidates_(n_lanes * (n_points_ + 1)) {}

void Abreast::evaluate(const Replicate& drawn, Wanted wanted, const PartsOfGap& parts,
                       double (*values)[n_rank_metrics]) {
    drawn_.gaps = drawn.gaps;
    drawn_.positives = drawn_.gaps_are_positive ? drawn.tied : drawn.rare;
    drawn_.negatives = drawn_.gaps_are_positive ? drawn.rare : drawn.tied;
    add_up();
    if (wanted & of_corners) look_at_corners(wanted, values);
    if (wanted & of_hull) find_candidates();
    for (std::size_t k = 0; k < n_lanes; ++k) look_at_lane(k, wanted, parts, values[k]);
}

void Abreast::add_up() {
    const std::size_t n = n_;
    const Counts drawn = drawn_;
    double *const tp_at = tp_.data(), *const fp_at = fp_.data(), *const outranked_at = outranked_.data();
    in_vectors([=]() UNCONFUSE_LOOP {
        Lanes tp{}, fp{}, outranked{};
        const auto add = [&](const Lanes& c, const Lanes& d) UNCONFUSE_LOOP {
            outranked = outranked + (c + d) * (2.0 * tp + c);
            tp = tp + c;
            fp = fp + d;
        };
        for (std::size_t i = 0;; ++i) {
            const std::size_t at = i * n_lanes;
            const Lanes gap = counts_at(drawn.gaps + at);
            if (drawn.gaps_are_positive)
                add(gap, Lanes{});
            else
                add(Lanes{}, gap);
            write_lanes(tp_at + at, tp);
            write_lanes(fp_at + at, fp);
            write_lanes(outranked_at + at, outranked);
            if (i == n) return;
            add(counts_or_none(drawn.positives, at), counts_or_none(drawn.negatives, at));
        }
    });
}

// Calls see(corner) for all blocks, and for gaps that hold positives, best scores first.
template <typename See>
UNCONFUSE_INLINE void Abreast::over_corners_of_all(See see) const {
    for (std::size_t i = 0;; ++i) {
        const std::size_t at = i * n_lanes;
        const Lanes tp = lanes_at(tp_.data() + at), fp = lanes_at(fp_.data() + at);
        if (drawn_.gaps_are_positive) {
            const Lanes gap = counts_at(drawn_.gaps + at);
            see(CornerOf<Lanes>{tp - gap, fp, gap, Lanes{}});
        }
        if (i == n_) return;
        if (drawn_.positives)
            see(CornerOf<Lanes>{tp, fp, counts_at(drawn_.positives + at), counts_or_none(drawn_.negatives, at)});
    }
}

void Abreast::look_at_corners(Wanted wanted, double (*values)[n_rank_metrics]) const {
    const Abreast& all = *this;
    in_vectors([=, &all]() UNCONFUSE_LOOP {
        const std::size_t end = all.n_ * n_lanes;
        const TotalsOf<Lanes> totals{lanes_at(all.tp_.data() + end), lanes_at(all.fp_.data() + end)};
        BestCuts<Lanes> best(totals);
        TrapezoidArea<Lanes> trapezoid;
        GainArea<Lanes> gain(totals);
        EqualErrors<Lanes> equal(totals);
        all.over_corners_of_all([&](const CornerOf<Lanes>& corner) UNCONFUSE_LOOP {
            if (wanted & all_maxima) best.see(corner);
            if (wanted & bit(auprc_trapezoid)) trapezoid.see(corner);
            if (wanted & bit(auprg)) gain.see(corner);
            if (wanted & bit(equal_error_rate)) equal.see(corner);
        });
        const Lanes area = trapezoid.value(totals), gained = gain.value(), rate = equal.value();
        for (std::size_t k = 0; k < n_lanes; ++k) {
            best.write(values[k], k);
            values[k][auprc_trapezoid] = lane(area, k);
            values[k][auprg] = lane(gained, k);
            values[k][equal_error_rate] = lane(rate, k);
        }
    });
}

void Abreast::look_at_lane(std::size_t k, Wanted wanted, const PartsOfGap& parts, double* values) {
    const Labelling all = before_block(n_, k);
    const ClassTotals totals{all.tp, all.queue - all.tp};
    if (!(totals.positives > 0 && totals.negatives > 0)) {
        std::fill(values, values + n_rank_metrics, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    if (wanted & of_hull) write_of_hull(hull_of(k, totals), totals, wanted, values);
    if (wanted & bit(break_even_precision)) values[break_even_precision] = break_even(k, totals.positives);
    if (wanted & bit(precision_at_indistinguishability))
        values[precision_at_indistinguishability] = indistinguishable(k, totals.positives, parts);
}

void Abreast::gather_points() {
    Abreast& all = *this;
    in_vectors([&all]() UNCONFUSE_LOOP {
        double *tp = all.tp_after_.data() + farthest * n_lanes, *fp = all.fp_after_.data() + farthest * n_lanes;
        double* own = all.own_.data();
        all.over_corners_of_all([&](const CornerOf<Lanes>& corner) UNCONFUSE_LOOP {
            write_lanes(tp, corner.tp_after());
            write_lanes(fp, corner.fp_after());
            write_lanes(own, corner.positives);
            tp += n_lanes;
            fp += n_lanes;
            own += n_lanes;
        });
        all.n_points_ = static_cast<std::size_t>(own - all.own_.data()) / n_lanes;
        const std::size_t end = all.n_ * n_lanes;
        for (std::size_t i = 0; i < farthest; ++i) {
            write_lanes(tp + i * n_lanes, lanes_at(all.tp_.data() + end));
            write_lanes(fp + i * n_lanes, lanes_at(all.fp_.data() + end));
        }
    });
}

// Most points lie below the line between two others, one before and one after them: they are no vertices of the hull.
// Those on the line are left to `append_to_hull`, because one of the two may be the same point once more.
void Abreast::find_candidates() {
    gather_points();
    const std::size_t n = n_points_;
    const double* const own = own_.data();
    const double* const tp_after = tp_after_.data() + farthest * n_lanes;
    const double* const fp_after = fp_after_.data() + farthest * n_lanes;
    std::uint32_t* const candidates = candidates_.data();
    std::size_t* const n_candidates = n_candidates_;
    in_vectors([=]() UNCONFUSE_LOOP {
        std::size_t found[n_lanes] = {};
        for (std::size_t i = 0; i < n; ++i) {
            const double *const tp_at = tp_after + i * n_lanes, *const fp_at = fp_after + i * n_lanes;
            const Lanes tp = lanes_at(tp_at), fp = lanes_at(fp_at);
            LaneMask may_be = lanes_at(own + i * n_lanes) > Lanes{};
            for (const std::size_t distance : distances) {
                const std::size_t step = distance * n_lanes;
                const Lanes rise = tp - lanes_at(tp_at - step), run = fp - lanes_at(fp_at - step);
                const Lanes next_rise = lanes_at(tp_at + step) - tp, next_run = lanes_at(fp_at + step) - fp;
                may_be = may_be & (rise * next_run >= next_rise * run);
            }
            for (std::size_t k = 0; k < n_lanes; ++k) {
                candidates[k * (n + 1) + found[k]] = static_cast<std::uint32_t>(i);
                found[k] += is_set(may_be, k) ? 1 : 0;
            }
        }
        for (std::size_t k = 0; k < n_lanes; ++k) n_candidates[k] = found[k];
    });
}

const std::vector<HullPoint>& Abreast::hull_of(std::size_t k, ClassTotals totals) {
    hull_.start_again();
    for (std::size_t c = 0; c < n_candidates_[k]; ++c) {
        const std::size_t at = (candidates_[k * (n_points_ + 1) + c] + farthest) * n_lanes + k;
        hull_.see(HullPoint{fp_after_[at], tp_after_[at], 0});
    }
    return hull_.vertices(totals);
}

Labelling Abreast::before_block(std::size_t i, std::size_t k) const {
    const std::size_t at = i * n_lanes + k;
    return {tp_[at], tp_[at] + fp_[at], outranked_[at]};
}

Labelling Abreast::after_block(std::size_t i, std::size_t k) const {
    const std::size_t at = i * n_lanes + k;
    const auto count = [at](const std::uint32_t* counts) { return counts ? counts[at] : 0u; };
    return before_block(i, k).with(count(drawn_.positives), count(drawn_.negatives));
}

// The first gap at the end of which a set is beyond something, which all larger sets then are too; n_ + 1 if none is.
template <typename Test>
std::size_t Abreast::first_gap(std::size_t k, Test is_beyond) const {
    std::size_t low = 0, high = n_ + 1;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (is_beyond(before_block(middle, k)))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The set before a gap.
Labelling Abreast::before_gap(std::size_t gap, std::size_t k) const {
    return gap == 0 ? Labelling{0, 0, 0} : after_block(gap - 1, k);
}

// As many are labelled as there are positives; what takes part of a block or gap takes its share of the positives.
double Abreast::break_even(std::size_t k, double P) const {
    const auto enough = [P](const Labelling& set) { return set.queue >= P; };
    const std::size_t gap = first_gap(k, enough);
    const bool in_block = gap > 0 && enough(after_block(gap - 1, k));
    const Labelling before = in_block ? before_block(gap - 1, k) : before_gap(gap, k);
    const Labelling after = in_block ? after_block(gap - 1, k) : before_block(gap, k);
    return (before.tp + (after.tp - before.tp) * (P - before.queue) / (after.queue - before.queue)) / P;
}

double Abreast::indistinguishable(std::size_t k, double P, const PartsOfGap& parts) const {
    const auto beyond = [P](const Labelling& set) { return set.is_beyond_half(P); };
    const std::size_t gap = first_gap(k, beyond);
    if (gap > n_) return before_block(n_, k).precision_of_all(P);
    if (gap > 0 && beyond(after_block(gap - 1, k))) {
        const Labelling set = before_block(gap - 1, k);
        return set.tp / set.queue;
    }
    const Labelling set = before_gap(gap, k);
    return drawn_.gaps_are_positive ? set.precision_within(parts(k, gap), P) : set.precision_with(parts(k, gap), P);
}

}  // namespace unconfuse
