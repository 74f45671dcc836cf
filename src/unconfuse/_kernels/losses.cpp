#include "losses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"

namespace unconfuse {
namespace {

constexpr std::size_t piece = 2048;  // its losses stay in the fastest cache

// A block of weight 0 does not count, however large its loss.
Moments moments_of(const double* loss, const double* weight, std::size_t n) {
    double total = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
        total += weight[i];
        sum += weight[i] > 0 ? weight[i] * loss[i] : 0.0;
    }
    if (!(total > 0)) return {0, 0, 0};
    const double mean = sum / total;
    for (std::size_t i = 0; i < n; ++i) squares += weight[i] > 0 ? weight[i] * (loss[i] - mean) * (loss[i] - mean) : 0.0;
    return {total, mean, squares};
}

// Chan, Golub & LeVeque's way to join two sets.
Moments joined(const Moments& a, const Moments& b) {
    if (!(a.weight > 0)) return b;
    if (!(b.weight > 0)) return a;
    const double weight = a.weight + b.weight, apart = b.mean - a.mean;
    return {weight, (a.weight * a.mean + b.weight * b.mean) / weight,
            a.squares + b.squares + apart * apart * a.weight * b.weight / weight};
}

void write_losses(const double* score, std::size_t n, Loss loss, double floor, double* of_positive, double* of_negative) {
    for (std::size_t i = 0; i < n; ++i) {
        const double s = std::min(std::max(score[i], floor), 1 - floor);
        of_positive[i] = loss == Loss::squared ? (1 - s) * (1 - s) : -std::log(s);
        of_negative[i] = loss == Loss::squared ? s * s : -std::log1p(-s);
    }
}

LossMoments of_piece(const double* score, const Blocks& part, Loss loss, double floor) {
    double of_positive[piece], of_negative[piece];
    write_losses(score, part.size, loss, floor, of_positive, of_negative);
    return {{moments_of(of_positive, part.positives, part.size), moments_of(of_positive, part.negatives, part.size)},
            {moments_of(of_negative, part.positives, part.size), moments_of(of_negative, part.negatives, part.size)}};
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
