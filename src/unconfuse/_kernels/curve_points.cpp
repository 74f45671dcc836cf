#include "curve_points.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace unconfuse {
namespace {

constexpr std::size_t worth_a_thread = 100'000;  // blocks; below this, starting a thread costs more than it saves

struct Part {
    std::size_t first, last;
    double tp, fp;  // sums over all blocks before it
};

// Parts of equal size, each with the sums before it: every running sum is added up in the same order, and so to the
// same bits, whatever the number of threads.
std::vector<Part> parts_of(const Blocks& blocks, unsigned n_threads) {
    const std::size_t wanted = blocks.size < worth_a_thread ? 1 : std::max(n_threads, 1u);
    std::vector<Part> parts;
    double tp = 0, fp = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        const Part part{blocks.size * i / wanted, blocks.size * (i + 1) / wanted, tp, fp};
        parts.push_back(part);
        for (std::size_t b = part.first; b < part.last && i + 1 < wanted; ++b) {
            tp += blocks.positives[b];
            fp += blocks.negatives[b];
        }
    }
    return parts;
}

// Calls write(block, tp, fp) with the running sums after each block.
template <typename Write>
void over_running_sums(const Blocks& blocks, unsigned n_threads, Write write) {
    const auto parts = parts_of(blocks, n_threads);
    const auto run = [&](const Part& part) {
        double tp = part.tp, fp = part.fp;
        for (std::size_t b = part.first; b < part.last; ++b) {
            tp += blocks.positives[b];
            fp += blocks.negatives[b];
            write(b, tp, fp);
        }
    };
    for_each_replicate(parts.size(), n_threads, [&] { return [&](std::size_t i) { run(parts[i]); }; }, 1);
}

}  // namespace

Totals totals_and_gaps(const Blocks& blocks) {
    Totals totals{0, 0, false};
    for (std::size_t b = 0; b < blocks.size; ++b) {
        totals.positives += blocks.positives[b];
        totals.negatives += blocks.negatives[b];
        totals.has_empty_block |= blocks.positives[b] + blocks.negatives[b] <= 0;
    }
    return totals;
}

void roc_points(const Blocks& blocks, ClassTotals totals, const double* score, unsigned n_threads, double* threshold,
                double* fpr, double* tpr) {
    threshold[0] = std::numeric_limits<double>::infinity();
    fpr[0] = tpr[0] = 0;
    over_running_sums(blocks, n_threads, [=](std::size_t b, double tp, double fp) {
        threshold[b + 1] = score[b];
        fpr[b + 1] = fp / totals.negatives;
        tpr[b + 1] = tp / totals.positives;
    });
}

void precision_recall_points(const Blocks& blocks, ClassTotals totals, unsigned n_threads, double* recall,
                             double* precision, double* queue_rate) {
    const double all = totals.positives + totals.negatives;
    over_running_sums(blocks, n_threads, [=](std::size_t b, double tp, double fp) {
        recall[b] = tp / totals.positives;
        precision[b] = tp / (tp + fp);
        queue_rate[b] = (tp + fp) / all;
    });
}

}  // namespace unconfuse
