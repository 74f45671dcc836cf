#include "bands.hpp"

namespace unconfuse {

void places_reaching(const double* weights, std::size_t n, const double* marks, std::size_t n_marks,
                     std::int64_t* places) {
    double reached = 0;
    std::size_t mark = 0;
    for (std::size_t i = 0; i < n && mark < n_marks; ++i) {
        reached += weights[i];
        for (; mark < n_marks && reached >= marks[mark]; ++mark) places[mark] = static_cast<std::int64_t>(i);
    }
    for (; mark < n_marks; ++mark) places[mark] = static_cast<std::int64_t>(n);
}

void band_sums(const double* score, const Blocks& blocks, const std::int64_t* start, std::size_t n_bands,
               double* positives, double* negatives, double* scores) {
    for (std::size_t band = 0; band < n_bands; ++band) {
        const std::size_t first = static_cast<std::size_t>(start[band]);
        const std::size_t end = band + 1 < n_bands ? static_cast<std::size_t>(start[band + 1]) : blocks.size;
        double c = 0, d = 0, stated = 0;
        for (std::size_t b = first; b < end; ++b) {
            c += blocks.positives[b];
            d += blocks.negatives[b];
            stated += (blocks.positives[b] + blocks.negatives[b]) * score[b];
        }
        positives[band] = c;
        negatives[band] = d;
        scores[band] = stated;
    }
}

}  // namespace unconfuse
