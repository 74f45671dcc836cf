#include "losses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"

namespace unconfuse {
namespace {

constexpr std::size_t piece = 2048;  // its losses stay in the fastest cache

// The four pairs of a loss and a class.
struct Four {
    double of[2][2] = {{0, 0}, {0, 0}};  // [loss if positive, if negative][over positives, over negatives]

    template <typename Term>
    void add(Term term) {
        for (int loss : {0, 1})
            for (int by : {0, 1}) of[loss][by] += term(loss, by);
    }
};

// With `guarded`, a block of weight 0 does not count even if its loss is infinite.
template <bool guarded>
LossMoments moments_of(const double* const (&losses)[2], const double* const (&weights)[2], std::size_t n) {
    const auto product = [](double weight, double value) { return guarded && !(weight > 0) ? 0.0 : weight * value; };
    double totals[2] = {0, 0}, mean[2][2];
    Four sums, squares;
    for (std::size_t i = 0; i < n; ++i) {
        for (int by : {0, 1}) totals[by] += weights[by][i];
        sums.add([&](int loss, int by) { return product(weights[by][i], losses[loss][i]); });
    }
    for (int loss : {0, 1})
        for (int by : {0, 1}) mean[loss][by] = totals[by] > 0 ? sums.of[loss][by] / totals[by] : 0.0;
    for (std::size_t i = 0; i < n; ++i)
        squares.add([&](int loss, int by) {
            const double apart = losses[loss][i] - mean[loss][by];
            return product(weights[by][i], apart * apart);
        });
    LossMoments found;
    for (int by : {0, 1}) {
        found.positive_loss[by] = {totals[by], mean[0][by], squares.of[0][by]};
        found.negative_loss[by] = {totals[by], mean[1][by], squares.of[1][by]};
    }
    return found;
}

// Chan, Golub & LeVeque's way to join two sets.
Moments joined(const Moments& a, const Moments& b) {
    if (!(a.weight > 0)) return b;
    if (!(b.weight > 0)) return a;
    const double weight = a.weight + b.weight, apart = b.mean - a.mean;
    return {weight, (a.weight * a.mean + b.weight * b.mean) / weight,
            a.squares + b.squares + apart * apart * a.weight * b.weight / weight};
}

void write_losses(const double* score, std::size_t n, Loss loss, double floor, double* of_positive,
                  double* of_negative) {
    const auto moved = [=](double s) { return std::min(std::max(s, floor), 1 - floor); };
    if (loss == Loss::squared) {
        for (std::size_t i = 0; i < n; ++i) {
            const double s = moved(score[i]);
            of_positive[i] = (1 - s) * (1 - s);
            of_negative[i] = s * s;
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const double s = moved(score[i]);
            of_positive[i] = -std::log(s);
            of_negative[i] = -std::log1p(-s);
        }
    }
}

LossMoments of_piece(const double* score, const Blocks& part, Loss loss, double floor) {
    double of_positive[piece], of_negative[piece];
    write_losses(score, part.size, loss, floor, of_positive, of_negative);
    const double* const losses[2] = {of_positive, of_negative};
    const double* const weights[2] = {part.positives, part.negatives};
    // Scores descend, so that only the losses at the ends can be infinite.
    const bool finite = std::isfinite(of_negative[0]) && std::isfinite(of_positive[part.size - 1]);
    return finite ? moments_of<false>(losses, weights, part.size) : moments_of<true>(losses, weights, part.size);
}

}  // namespace

LossMoments loss_moments(const double* score, const Blocks& blocks, Loss loss, double floor, unsigned n_threads) {
    std::vector<LossMoments> parts((blocks.size + piece - 1) / piece);
    for_each_replicate(parts.size(), parts.size() < 32 ? 1u : n_threads, [&] {
        return [&](std::size_t i) {
            const std::size_t first = i * piece, size = std::min(piece, blocks.size - first);
            parts[i] = of_piece(score + first, {blocks.positives + first, blocks.negatives + first, size}, loss, floor);
        };
    });
    LossMoments all{};
    for (const LossMoments& part : parts)
        for (int weighted_by : {0, 1}) {
            all.positive_loss[weighted_by] = joined(all.positive_loss[weighted_by], part.positive_loss[weighted_by]);
            all.negative_loss[weighted_by] = joined(all.negative_loss[weighted_by], part.negative_loss[weighted_by]);
        }
    return all;
}

}  // namespace unconfuse
