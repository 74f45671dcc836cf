// Functions of whole tables, each a scan over its blocks; most take stacks of tables.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bands.hpp"
#include "bindings.hpp"
#include "curve_areas.hpp"
#include "delong.hpp"
#include "hull.hpp"
#include "incomplete_beta.hpp"
#include "level_reach.hpp"
#include "logistic.hpp"
#include "losses.hpp"
#include "parallel.hpp"
#include "score_tree.hpp"

namespace unconfuse {
namespace {

using nb::make_tuple;

std::size_t tables_in(const Matrix& positives, const Matrix& negatives) {
    require(positives.shape(0) == negatives.shape(0) && positives.shape(1) == negatives.shape(1),
            "positives and negatives differ in shape");
    return positives.shape(0);
}

// Calls of_table(i, blocks) for each table of a stack.
template <typename OfTable>
void over_tables(const Matrix& positives, const Matrix& negatives, unsigned n_threads, OfTable of_table) {
    const std::size_t size = positives.shape(1);
    for_each_replicate(positives.shape(0), n_threads, [&] {
        return [&](std::size_t i) {
            const Blocks blocks{positives.data() + i * size, negatives.data() + i * size, size};
            of_table(i, blocks);
        };
    });
}

template <typename Area>
auto area_of_tables(Area area) {
    return [area](Matrix positives, Matrix negatives, unsigned n_threads, FloatsOut out) {
        require(out.size() == tables_in(positives, negatives), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        over_tables(positives, negatives, n_threads,
                    [&](std::size_t i, const Blocks& blocks) { out.data()[i] = area(blocks); });
    };
}

template <typename SomeBlocks>
nb::tuple moments_of(const SomeBlocks& blocks, Added added) {
    PlacementMoments moments;
    {
        nb::gil_scoped_release unlocked;
        moments = placement_moments(blocks, added);
    }
    return make_tuple(moments.auroc, moments.positive_variance, moments.negative_variance, moments.pair_variance,
                      moments.positives, moments.negatives);
}

void bind_areas(nb::module_& m) {
    m.def("partial_areas", [](Matrix positives, Matrix negatives, double max_fpr, unsigned n_threads, FloatsOut out) {
        const auto areas = area_of_tables([=](const Blocks& blocks) { return partial_area(blocks, max_fpr); });
        areas(positives, negatives, n_threads, out);
    });
    m.def("mean_precision", [](Floats positives, Floats negatives, Floats nodes, Floats weights) {
        const Blocks blocks = blocks_in(positives, negatives);
        require(nodes.size() == weights.size(), "every node needs its weight");
        nb::gil_scoped_release unlocked;
        return mean_precision(blocks, nodes.data(), weights.data(), nodes.size());
    });
    m.def("placement_moments", [](Floats positives, Floats negatives, double added_positives, double added_negatives) {
        return moments_of(blocks_in(positives, negatives), {added_positives, added_negatives});
    });
    m.def("placement_moments", [](Counts counts, double added_positives, double added_negatives) {
        return moments_of(counted(counts), {added_positives, added_negatives});
    });
}

void bind_levels(nb::module_& m) {
    m.def("last_at_level", [](Floats positives, Floats negatives, double level, bool exclude_self) {
        const Blocks blocks = blocks_in(positives, negatives);
        nb::gil_scoped_release unlocked;
        return last_at_level(blocks, level, exclude_self);
    });
    m.def("reach_of_level",
          [](Floats positives, Floats negatives, double level, double reach, bool cohort, bool exclude_self) {
        const Blocks blocks = blocks_in(positives, negatives);
        LevelReach found;
        {
            nb::gil_scoped_release unlocked;
            found = reach_of_level(blocks, {level, reach, cohort, exclude_self});
        }
        return make_tuple(found.first, found.at, found.last, found.tied);
    });
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T> values) {
    auto* const kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
    return {kept->data(), {kept->size()}, owner};
}

struct Segments {
    std::vector<std::int64_t> blocks, counts;
    std::vector<double> positives, negatives;
};

Segments segments_of(const std::vector<std::vector<HullPoint>>& hulls) {
    Segments all;
    for (const auto& hull : hulls) {
        all.counts.push_back(static_cast<std::int64_t>(hull.size()) - 1);
        for (std::size_t i = 1; i < hull.size(); ++i) {
            all.blocks.push_back(hull[i].blocks);
            all.positives.push_back(hull[i].tp - hull[i - 1].tp);
            all.negatives.push_back(hull[i].fp - hull[i - 1].fp);
        }
    }
    return all;
}

void bind_hull(nb::module_& m) {
    m.def("hull_segments", [](Matrix positives, Matrix negatives, unsigned n_threads) {
        std::vector<std::vector<HullPoint>> hulls(tables_in(positives, negatives));
        Segments all;
        {
            nb::gil_scoped_release unlocked;
            over_tables(positives, negatives, n_threads,
                        [&](std::size_t i, const Blocks& blocks) { hulls[i] = roc_hull(blocks); });
            all = segments_of(hulls);
        }
        return make_tuple(array_of(std::move(all.blocks)), array_of(std::move(all.positives)),
                          array_of(std::move(all.negatives)), array_of(std::move(all.counts)));
    });
    m.def("beta_tails",
          [](Floats a, Floats b, Floats log_beta, Floats x, unsigned n_threads, FloatsOut below, FloatsOut above) {
        const std::size_t n = x.size();
        require(a.size() == n && b.size() == n && log_beta.size() == n && below.size() == n && above.size() == n,
                "arrays differ in length");
        nb::gil_scoped_release unlocked;
        constexpr std::size_t piece = 1024;
        for_each_replicate((n + piece - 1) / piece, n_threads, [&] {
            return [&](std::size_t part) {
                for (std::size_t i = part * piece; i < std::min(n, (part + 1) * piece); ++i) {
                    const BetaTails tails = beta_tails(a.data()[i], b.data()[i], log_beta.data()[i], x.data()[i]);
                    below.data()[i] = tails.below;
                    above.data()[i] = tails.above;
                }
            };
        });
    });
}

nb::tuple tuple_of(const Moments& moments) { return make_tuple(moments.weight, moments.mean, moments.squares); }

void bind_probabilities(nb::module_& m) {
    m.def("loss_moments",
          [](Floats score, Floats positives, Floats negatives, bool logarithmic, double floor, unsigned n_threads) {
        const Blocks blocks = blocks_in(positives, negatives);
        require(score.size() == blocks.size, "there must be one score for each block");
        LossMoments found;
        {
            nb::gil_scoped_release unlocked;
            found =
                loss_moments(score.data(), blocks, logarithmic ? Loss::logarithmic : Loss::squared, floor, n_threads);
        }
        return make_tuple(tuple_of(found.positive_loss[0]), tuple_of(found.positive_loss[1]),
                          tuple_of(found.negative_loss[0]), tuple_of(found.negative_loss[1]));
    });
    m.def("recalibrate", [](Floats score, Matrix positives, Matrix negatives, Flags with_slope, unsigned n_threads,
                            MatrixOut<double> out) {
        const std::size_t n_tables = tables_in(positives, negatives), size = positives.shape(1);
        require(score.size() == size && with_slope.size() == n_tables, "arrays differ in length");
        require(out.shape(0) == 3 && out.shape(1) == n_tables, "the output has the wrong shape");
        if (n_tables == 0) return;
        nb::gil_scoped_release unlocked;
        std::vector<double> log_odds(size);
        write_log_odds(score.data(), size, n_threads, log_odds.data());
        const auto fit = [&](std::size_t i, const Recalibration& start, unsigned threads) {
            const Blocks blocks{positives.data() + i * size, negatives.data() + i * size, size};
            return recalibrate(log_odds.data(), blocks, start, with_slope.data()[i], threads);
        };
        const auto write = [&](std::size_t i, const Recalibration& fitted) {
            out.data()[i] = fitted.level;
            out.data()[n_tables + i] = fitted.intercept;
            out.data()[2 * n_tables + i] = fitted.slope;
        };
        const Recalibration neutral{0, 0, 1}, first = fit(0, neutral, n_threads);
        write(0, first);
        // Tables of one stack are alike: the others start where the first one ended, unless that led nowhere.
        const bool sound = std::max({std::fabs(first.level), std::fabs(first.intercept), std::fabs(first.slope)}) < 10;
        for_each_replicate(n_tables - 1, n_threads, [&] {
            return [&](std::size_t i) { write(i + 1, fit(i + 1, sound ? first : neutral, 1)); };
        });
    });
}

void bind_bands(nb::module_& m) {
    m.def("node_weights", [](Floats score, Floats weight, FloatsOut held) {
        require(score.size() == weight.size(), "there must be one weight for each score");
        require(held.size() + 1 == score.size(), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        node_weights(score.data(), weight.data(), score.size(), held.data());
    });
    m.def("places_reaching", [](Floats weights, Floats marks, IntegersOut places) {
        require(places.size() == marks.size(), "the output has the wrong shape");
        require(std::is_sorted(marks.data(), marks.data() + marks.size()), "marks must ascend");
        nb::gil_scoped_release unlocked;
        places_reaching(weights.data(), weights.size(), marks.data(), marks.size(), places.data());
    });
    m.def("band_sums",
          [](Floats score, Matrix positives, Matrix negatives, Integers start, unsigned n_threads, FloatsOut3 out) {
        const std::size_t n_tables = tables_in(positives, negatives), size = positives.shape(1), bands = start.size();
        require(score.size() == size, "there must be one score for each block");
        require(out.shape(0) == 3 && out.shape(1) == n_tables && out.shape(2) == bands,
                "the output has the wrong shape");
        require(std::is_sorted(start.data(), start.data() + bands), "bands must ascend within the table");
        require(bands == 0 || (start.data()[0] >= 0 && start.data()[bands - 1] <= static_cast<std::int64_t>(size)),
                "bands must ascend within the table");
        nb::gil_scoped_release unlocked;
        over_tables(positives, negatives, n_threads, [&](std::size_t i, const Blocks& blocks) {
            double* const row = out.data() + i * bands;
            band_sums(score.data(), blocks, start.data(), bands, row, row + n_tables * bands,
                      row + 2 * n_tables * bands);
        });
    });
}

}  // namespace

void bind_scans(nb::module_& m) {
    bind_areas(m);
    bind_levels(m);
    bind_hull(m);
    bind_probabilities(m);
    bind_bands(m);
}

}  // namespace unconfuse
