#include "level_reach.hpp"

#include <algorithm>
#include <cmath>

namespace unconfuse {
namespace {

constexpr double slack = 1 + 1e-12;  // weights that are no whole numbers: equality is meant up to rounding

// Pairs (positive, labelled case) that the positive wins, and all of them, as blocks are labelled one by one.
struct Wins {
    double positives, tp = 0, labelled = 0, won = 0, pairs = 0;
    bool exclude_self;

    void label(double c, double d) {
        tp += c;
        labelled += c + d;
        won_whole_ += (tp - c / 2) * (c + d);
        won = exclude_self ? won_whole_ - tp / 2 : won_whole_;
        pairs = exclude_self ? labelled * positives - tp : labelled * positives;
    }

private:
    double won_whole_ = 0;
};

Wins wins_of(const Blocks& blocks, bool exclude_self) {
    Wins wins{};
    wins.positives = totals_of(blocks).positives;
    wins.exclude_self = exclude_self;
    return wins;
}

// The standard error of B at the end of each block, for a true B equal to the level: the influence of a case is a
// square in running totals, so that running sums are enough. See `b_standard_errors`.
class Errors {
public:
    Errors(ClassTotals totals, const LevelAsked& asked) : totals_(totals), asked_(asked) {}

    double at(const Wins& wins, double c, double d) {
        const double above = wins.tp - c / 2, own = above - (wins.labelled - (c + d) / 2);
        own_ += c * own;
        own_squares_ += c * (own * own);
        negatives_ += d * above;
        negative_squares_ += d * (above * above);
        return std::sqrt(std::max(variance(wins), 0.0)) / (totals_.positives * wins.labelled);
    }

private:
    double variance(const Wins& wins) const {
        const double P = totals_.positives, N = totals_.negatives, level = asked_.level, fp = wins.labelled - wins.tp;
        const double constant = wins.labelled - level * (wins.labelled + P), missed = -level * wins.labelled;
        const double shift = level * P, rest = P - wins.tp;
        const double of_positives = own_squares_ + constant * (2 * own_ + constant * wins.tp) + missed * missed * rest;
        const double of_negatives = negative_squares_ - 2 * shift * negatives_ + shift * shift * fp;
        if (asked_.cohort) return of_positives + of_negatives;
        const double sum = own_ + constant * wins.tp + missed * rest, other = negatives_ - shift * fp;
        return of_positives + of_negatives - sum * sum / P - other * other / N;
    }

    ClassTotals totals_;
    LevelAsked asked_;
    double own_ = 0, own_squares_ = 0, negatives_ = 0, negative_squares_ = 0;
};

}  // namespace

std::int64_t last_at_level(const Blocks& blocks, double level, bool exclude_self) {
    Wins wins = wins_of(blocks, exclude_self);
    std::int64_t at = -1;
    for (std::size_t b = 0; b < blocks.size; ++b) {
        wins.label(blocks.positives[b], blocks.negatives[b]);
        if (wins.pairs > 0 && wins.won <= level * wins.pairs * slack) at = static_cast<std::int64_t>(b);
    }
    return wins.won * slack >= level * wins.pairs ? at : -1;
}

LevelReach reach_of_level(const Blocks& blocks, const LevelAsked& asked) {
    const std::int64_t at = last_at_level(blocks, asked.level, asked.exclude_self);
    LevelReach found{std::min<std::int64_t>(at, 0), at, static_cast<std::int64_t>(blocks.size) - 1, false};
    Wins wins = wins_of(blocks, asked.exclude_self);
    Errors errors(totals_of(blocks), asked);
    double before = 0;  // what B lies beyond the level at the crossing
    for (std::size_t b = 0; b < blocks.size; ++b) {
        const double c = blocks.positives[b], d = blocks.negatives[b];
        const auto place = static_cast<std::int64_t>(b);
        wins.label(c, d);
        const double error = errors.at(wins, c, d), beyond = wins.won / wins.pairs - asked.level;
        if (place <= at && beyond < -asked.reach * error) found.first = place;
        if (place == at) before = beyond;
        if (place == at + 1) found.tied = c + d >= 2 && beyond - before > error / 2;
        if (place > at && beyond > asked.reach * error) {
            found.last = place - 1;
            break;
        }
    }
    return found;
}

}  // namespace unconfuse
