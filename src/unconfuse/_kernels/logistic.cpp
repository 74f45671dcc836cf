#include "logistic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"

namespace unconfuse {
namespace {

constexpr std::size_t piece = 1 << 15;     // blocks that are looked at together
constexpr std::size_t many = 40'000;       // blocks from which on neighbours are gathered into groups
constexpr double groups_per_unit = 256;    // of log-odds
constexpr double steepest_for_groups = 4;  // slope up to which the expansion below is exact to rounding
constexpr int most_steps = 100, most_halvings = 30;
constexpr double longest_step = 8;   // of log-odds: where all chances are 0 or 1 the curvature says nothing
constexpr double small_step = 1e-7;  // Newton's error after it is at the rounding

// First and second derivatives of the log-likelihood.
struct Slopes {
    double g0 = 0, g1 = 0, h00 = 0, h01 = 0, h11 = 0;

    void add(const Slopes& other) {
        g0 += other.g0;
        g1 += other.g1;
        h00 += other.h00;
        h01 += other.h01;
        h11 += other.h11;
    }
};

struct Point {
    double a, b;
};

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

Slopes slopes_of(const double* x, const double* positives, const double* negatives, std::size_t n, Point at) {
    Slopes sum;
    for (std::size_t i = 0; i < n; ++i) {
        const double weight = positives[i] + negatives[i], chance = logistic(at.a + at.b * x[i]);
        const double rest = positives[i] - weight * chance, spread = weight * chance * (1 - chance);
        sum.g0 += rest;
        sum.g1 += rest * x[i];
        sum.h00 += spread;
        sum.h01 += spread * x[i];
        sum.h11 += spread * x[i] * x[i];
    }
    return sum;
}

// Blocks whose log-odds lie within 1/512 of a centre, as moments of their distance u from it: expanding the logistic
// function to the fourth power of u gives its sums over the group to the last bit.
struct Group {
    double centre, positives, positive_u;
    double weight_u[6];  // sums of weight times u^0, u^1, ...
};

std::vector<Group> groups_of(const double* x, const double* positives, const double* negatives, std::size_t n) {
    std::vector<Group> groups;
    double from = 0, to = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (groups.empty() || !(x[i] >= from && x[i] < to)) {
            const double cell = std::floor(x[i] * groups_per_unit);
            from = cell / groups_per_unit;
            to = (cell + 1) / groups_per_unit;
            groups.push_back({(from + to) / 2, 0, 0, {0, 0, 0, 0, 0, 0}});
        }
        Group& group = groups.back();
        const double u = x[i] - group.centre;
        group.positives += positives[i];
        group.positive_u += positives[i] * u;
        double power = positives[i] + negatives[i];
        for (double& moment : group.weight_u) {
            moment += power;
            power *= u;
        }
    }
    return groups;
}

Slopes slopes_of(const Group& group, Point at) {
    const double p = logistic(at.a + at.b * group.centre), q = p * (1 - p), r = 1 - 2 * p;
    // The logistic function's derivatives times b^k / k!, so that they multiply u^k.
    const double b = at.b, b2 = b * b;
    const double s1 = q * b, s2 = q * r * b2 / 2, s3 = q * (1 - 6 * q) * b2 * b / 6;
    const double s4 = q * r * (1 - 12 * q) * b2 * b2 / 24;
    const double *w = group.weight_u, x = group.centre;
    const double expected = p * w[0] + s1 * w[1] + s2 * w[2] + s3 * w[3] + s4 * w[4];
    const double expected_u = p * w[1] + s1 * w[2] + s2 * w[3] + s3 * w[4] + s4 * w[5];
    // Two powers are enough for the second derivatives, which only guide the steps.
    const double t1 = q * r * b, t2 = q * (1 - 6 * q) * b2 / 2;
    const double spread = q * w[0] + t1 * w[1] + t2 * w[2], spread_u = q * w[1] + t1 * w[2] + t2 * w[3];
    const double spread_uu = q * w[2] + t1 * w[3] + t2 * w[4];
    const double rest = group.positives - expected;
    return {rest, x * rest + group.positive_u - expected_u, spread, x * spread + spread_u,
            x * x * spread + 2 * x * spread_u + spread_uu};
}

// The lowest and the highest log-odds.
struct Range {
    double low, high;
};

// Newton's step, shortened so that it moves no fitted log-odds too far; straight uphill where Newton knows none.
Point step_of(const Slopes& s, bool with_slope, Range x) {
    Point step{s.g0 / s.h00, 0};
    if (with_slope) {
        const double whole = s.h00 * s.h11 - s.h01 * s.h01;
        step = {(s.g0 * s.h11 - s.g1 * s.h01) / whole, (s.g1 * s.h00 - s.g0 * s.h01) / whole};
    }
    if (!std::isfinite(step.a) || !std::isfinite(step.b)) step = {s.g0, with_slope ? s.g1 : 0};
    const double moved = std::max(std::fabs(step.a + step.b * x.low), std::fabs(step.a + step.b * x.high));
    const double share = moved > longest_step ? longest_step / moved : 1;
    return {share * step.a, share * step.b};
}

// The log-likelihood is concave: a step is too long if it ends on the far side of the summit along its way, and there
// the ground falls as steeply as it rose at the start.
template <typename SlopesAt>
Point newton(SlopesAt slopes_at, Point at, bool with_slope, Range x) {
    Slopes here = slopes_at(at);
    for (int i = 0; i < most_steps; ++i) {
        const Point step = step_of(here, with_slope, x);
        if (std::max(std::fabs(step.a), std::fabs(step.b)) < small_step) return {at.a + step.a, at.b + step.b};
        const double rise = here.g0 * step.a + here.g1 * step.b;
        double share = 1;
        Slopes there;
        for (int halving = 0; halving < most_halvings; ++halving, share /= 2) {
            there = slopes_at({at.a + share * step.a, at.b + share * step.b});
            if (there.g0 * step.a + there.g1 * step.b >= -0.9 * rise) break;
        }
        at = {at.a + share * step.a, at.b + share * step.b};
        here = there;
    }
    return at;
}

// Runs over the pieces of a table on all threads and adds up what they give, always in the same order.
template <typename Result, typename OfPiece>
std::vector<Result> over_pieces(std::size_t n, unsigned n_threads, OfPiece of_piece) {
    std::vector<Result> results((n + piece - 1) / piece);
    for_each_replicate(results.size(), n_threads, [&] {
        return [&](std::size_t i) { results[i] = of_piece(i * piece, std::min(piece, n - i * piece)); };
    });
    return results;
}

}  // namespace

void write_log_odds(const double* score, std::size_t n, unsigned n_threads, double* log_odds) {
    over_pieces<char>(n, n_threads, [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) log_odds[i] = std::log(score[i] / (1 - score[i]));
        return char{0};
    });
}

Recalibration recalibrate(const double* log_odds, const Blocks& blocks, const Recalibration& start, bool with_slope,
                          unsigned n_threads) {
    const auto exactly = [&](Point at) {
        const auto of_piece = [&](std::size_t first, std::size_t n) {
            return slopes_of(log_odds + first, blocks.positives + first, blocks.negatives + first, n, at);
        };
        Slopes sum;
        for (const Slopes& part : over_pieces<Slopes>(blocks.size, n_threads, of_piece)) sum.add(part);
        return sum;
    };
    if (!blocks.size) return start;
    const Range x{log_odds[blocks.size - 1], log_odds[0]};  // scores are descending
    Point level{start.level, 1}, both{start.intercept, start.slope};
    bool done = false;
    if (blocks.size > many) {
        const auto of_piece = [&](std::size_t first, std::size_t n) {
            return groups_of(log_odds + first, blocks.positives + first, blocks.negatives + first, n);
        };
        const auto groups = over_pieces<std::vector<Group>>(blocks.size, n_threads, of_piece);
        const auto by_groups = [&](Point at) {
            Slopes sum;
            for (const auto& part : groups)
                for (const Group& group : part) sum.add(slopes_of(group, at));
            return sum;
        };
        level = newton(by_groups, level, false, x);
        if (with_slope) both = newton(by_groups, both, true, x);
        done = true;
    }
    if (!done) level = newton(exactly, level, false, x);
    if (with_slope && !(done && std::fabs(both.b) <= steepest_for_groups)) both = newton(exactly, both, true, x);
    return {level.a, both.a, both.b};
}

}  // namespace unconfuse
