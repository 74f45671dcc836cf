// The bindings are all that knows Python: they unpack arrays, let go of the GIL and call the kernels.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "bootstrap.hpp"
#include "class_ranks.hpp"
#include "coarse_table.hpp"
#include "collapse.hpp"
#include "curve_points.hpp"
#include "paired.hpp"
#include "parallel.hpp"
#include "ranks.hpp"
#include "roc_samples.hpp"
#include "rows.hpp"
#include "units.hpp"
#include "untied_areas.hpp"

using namespace unconfuse;
namespace nb = nanobind;

namespace {

TableOut table_out(FloatsOut& score, FloatsOut& positives, FloatsOut& negatives, std::size_t room) {
    require(score.size() >= room && positives.size() >= room && negatives.size() >= room,
            "too little room for a table");
    return {score.data(), positives.data(), negatives.data()};
}

Table table_in(const Floats& score, const Floats& positives, const Floats& negatives) {
    require(score.size() == positives.size() && score.size() == negatives.size(),
            "columns of a table differ in length");
    return {score.data(), positives.data(), negatives.data(), score.size()};
}

void bind_collapse(nb::module_& m) {
    m.def("collapse_cases", [](Floats score, Flags is_positive, unsigned n_threads, Out<std::uint64_t> out_score,
                               Out<std::uint64_t> out_counts) {
        const std::size_t n = score.size();
        require(is_positive.size() == n, "scores and labels differ in length");
        require(out_score.size() == n && out_counts.size() == n, "too little room for a table");
        nb::gil_scoped_release unlocked;
        return collapse_cases(score.data(), is_positive.data(), n, n_threads, out_score.data(), out_counts.data());
    });
    const auto weighted = [](Floats score, Flags is_positive, std::optional<Floats> weights, Out<std::uint64_t> room,
                             FloatsOut out_score, FloatsOut out_positives, FloatsOut out_negatives) {
        const std::size_t n = score.size();
        require(is_positive.size() == n && (!weights || weights->size() == n),
                "scores, labels and weights differ in length");
        const TableOut out = table_out(out_score, out_positives, out_negatives, n);
        require(room.size() * sizeof(std::uint64_t) >= 2 * n * sizeof(WeightedRow), "too little room for the rows");
        nb::gil_scoped_release unlocked;
        return collapse_weighted(score.data(), is_positive.data(), weights ? weights->data() : nullptr, n,
                                 reinterpret_cast<WeightedRow*>(room.data()), out);
    };
    m.def("collapse_weighted", weighted, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg());
    m.def("merge_tables", [](Floats score_a, Floats positives_a, Floats negatives_a, Floats score_b, Floats positives_b,
                             Floats negatives_b, FloatsOut score, FloatsOut positives, FloatsOut negatives) {
        const Table a = table_in(score_a, positives_a, negatives_a), b = table_in(score_b, positives_b, negatives_b);
        const TableOut out = table_out(score, positives, negatives, a.size + b.size);
        nb::gil_scoped_release unlocked;
        return merge_tables(a, b, out);
    });
}

void bind_ranks(nb::module_& m) {
    m.def("evaluate_ranks",
          [](Matrix positives, Matrix negatives, Wanted wanted, unsigned n_threads, MatrixOut<double> out) {
        const std::size_t n_tables = positives.shape(0), size = positives.shape(1);
        require(negatives.shape(0) == n_tables && negatives.shape(1) == size,
                "positives and negatives differ in shape");
        require(out.shape(0) == n_rank_metrics && out.shape(1) == n_tables, "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        for_each_replicate(n_tables, n_threads, [&] {
            return [&](std::size_t i) {
                double values[n_rank_metrics];
                evaluate_ranks({positives.data() + i * size, negatives.data() + i * size, size}, wanted, values);
                for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
                    if (wanted & (1u << metric)) out.data()[metric * n_tables + i] = values[metric];
            };
        });
    });
    m.def("untied_areas", [](In<std::uint32_t> positives, In<std::uint32_t> gaps, bool portable) {
        require(gaps.size() == positives.size() + 1, "there must be one more gap than positive blocks");
        const auto sum = [](const In<std::uint32_t>& counts) {
            return std::accumulate(counts.data(), counts.data() + counts.size(), 0.0);
        };
        require(sum(positives) + sum(gaps) < most_cases, "too many cases");
        double values[n_rank_metrics];
        UntiedAreas().evaluate(positives.data(), gaps.data(), positives.size(), values, portable);
        return nb::make_tuple(values[auroc], values[average_precision], values[auprc_davis_goadrich]);
    });
    m.def("totals", [](Floats positives, Floats negatives) {
        const Totals totals = totals_and_gaps(blocks_in(positives, negatives));
        return nb::make_tuple(totals.positives, totals.negatives, totals.has_empty_block);
    });
    m.def("totals", [](Counts counts) {
        const ClassTotals totals = totals_of(counted(counts));
        return nb::make_tuple(totals.positives, totals.negatives, false);
    });
    m.def("auroc_of_counts", [](Counts counts) {
        nb::gil_scoped_release unlocked;
        return auroc_of(counted(counts));
    });
    m.def("roc_points", [](Floats score, Floats positives, Floats negatives, double n_positives, double n_negatives,
                           unsigned n_threads, FloatsOut threshold, FloatsOut fpr, FloatsOut tpr) {
        const Blocks blocks = blocks_in(positives, negatives);
        const std::size_t points = blocks.size + 1;
        require(score.size() == blocks.size, "there must be one score for each block");
        require(threshold.size() == points && fpr.size() == points && tpr.size() == points, "wrong output size");
        nb::gil_scoped_release unlocked;
        roc_points(blocks, {n_positives, n_negatives}, score.data(), n_threads, threshold.data(), fpr.data(),
                   tpr.data());
    });
    m.def("precision_recall_points",
          [](Floats positives, Floats negatives, double n_positives, double n_negatives, unsigned n_threads,
             FloatsOut recall, FloatsOut precision, FloatsOut queue_rate) {
        const Blocks blocks = blocks_in(positives, negatives);
        require(recall.size() == blocks.size && precision.size() == blocks.size && queue_rate.size() == blocks.size,
                "wrong output size");
        nb::gil_scoped_release unlocked;
        precision_recall_points(blocks, {n_positives, n_negatives}, n_threads, recall.data(), precision.data(),
                                queue_rate.data());
    });
}

Design design_of(int number) {
    require(number == 0 || number == 1, "there are two designs");
    return static_cast<Design>(number);
}

void bind_bootstrap(nb::module_& m) {
    m.def("bootstrap_ranks", [](Floats positives, Floats negatives, int design, std::uint64_t seed, std::uint64_t first,
                                unsigned n_threads, Wanted wanted, MatrixOut<double> out) {
        const Blocks blocks = blocks_in(positives, negatives);
        require(out.shape(0) == n_rank_metrics, "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        const CoarseTable table(blocks.positives, blocks.negatives, blocks.size);
        bootstrap_ranks(table, blocks.size, design_of(design), {seed, first, out.shape(1), n_threads}, wanted,
                        out.data());
    });
    m.def("bootstrap_tables",
          [](Floats positives, Floats negatives, int design, std::uint64_t seed, std::uint64_t first,
             unsigned n_threads, MatrixOut<double> out_positives, MatrixOut<double> out_negatives) {
        const Blocks blocks = blocks_in(positives, negatives);
        const std::size_t count = out_positives.shape(0);
        require(out_positives.shape(1) == blocks.size && out_negatives.shape(0) == count &&
                    out_negatives.shape(1) == blocks.size,
                "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        const CoarseTable table(blocks.positives, blocks.negatives, blocks.size);
        bootstrap_tables(table, blocks.size, design_of(design), {seed, first, count, n_threads}, out_positives.data(),
                         out_negatives.data());
    });
}

const std::int64_t* data_or_null(const std::optional<Integers>& array) { return array ? array->data() : nullptr; }

UnitResampler unit_resampler(const Floats& weights, const std::optional<Integers>& strata, std::uint64_t seed) {
    require(!strata || strata->size() == weights.size(), "weights and strata differ in length");
    return {weights.data(), data_or_null(strata), weights.size(), seed};
}

bool all_below(const Integers& numbers, std::size_t end) {
    return std::all_of(numbers.data(), numbers.data() + numbers.size(),
                       [end](std::int64_t each) { return each >= 0 && each < static_cast<std::int64_t>(end); });
}

bool ascends_from_zero(const Integers& numbers) {
    return std::is_sorted(numbers.data(), numbers.data() + numbers.size()) &&
           (numbers.size() == 0 || numbers.data()[0] >= 0);
}

std::vector<ModelOrder> model_orders(const std::vector<Integers>& orders, const std::vector<Integers>& block_ends,
                                     const Flags& is_positive) {
    require(orders.size() == block_ends.size(), "every model needs its order and its blocks");
    std::vector<ModelOrder> models;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        const RowOrder rows{orders[i].data(), block_ends[i].data(), orders[i].size(), block_ends[i].size()};
        require(rows.n_rows == is_positive.size(), "orders and labels differ in length");
        require(all_below(orders[i], rows.n_rows), "an order names rows that are not there");
        require(ascends_from_zero(block_ends[i]), "the ends of blocks must ascend");
        require(rows.n_rows == 0 ||
                    (rows.n_blocks > 0 && rows.block_end[rows.n_blocks - 1] == static_cast<std::int64_t>(rows.n_rows)),
                "blocks do not cover the rows");
        models.emplace_back(rows, is_positive.data());
    }
    return models;
}

void bind_rows(nb::module_& m) {
    m.def("order_rows", [](Floats score, IntegersOut order, IntegersOut block_end) {
        require(order.size() == score.size() && block_end.size() == score.size(), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        return order_rows(score.data(), score.size(), order.data(), block_end.data());
    });
    const auto units = [](Floats weights, std::optional<Integers> strata, std::uint64_t seed, std::uint64_t first,
                          unsigned n_threads, MatrixOut<std::uint32_t> out) {
        require(out.shape(1) == weights.size(), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        bootstrap_units(unit_resampler(weights, strata, seed), {seed, first, out.shape(0), n_threads}, out.data());
    };
    m.def("bootstrap_units", units, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
    m.def("sums_of_units",
          [](Integers start, Integers unit, Floats held, Matrix times, unsigned n_threads, MatrixOut<double> out) {
        const std::size_t n_cells = out.shape(1);
        require(start.size() == n_cells + 1 && start.data()[0] == 0 && ascends_from_zero(start) &&
                    start.data()[n_cells] == static_cast<std::int64_t>(unit.size()),
                "the entries of cells must follow each other");
        require(held.size() == unit.size(), "every entry needs what is held");
        require(all_below(unit, times.shape(1)), "units are out of range");
        require(out.shape(0) == times.shape(0), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        sums_of_units({start.data(), unit.data(), held.data(), n_cells}, times.data(), times.shape(0), times.shape(1),
                      n_threads, out.data());
    });
    const auto paired = [](std::vector<Integers> orders, std::vector<Integers> block_ends, Flags is_positive,
                           Floats weights, std::optional<Integers> strata, std::optional<Integers> unit_of_row,
                           std::optional<Floats> row_weights, std::uint64_t seed, std::uint64_t first,
                           unsigned n_threads, Wanted wanted, FloatsOut3 out) {
        const std::size_t n = is_positive.size();
        require(unit_of_row ? unit_of_row->size() == n : weights.size() == n, "every row needs its unit");
        require(!row_weights || row_weights->size() == n, "every row needs its weight");
        require(!unit_of_row || all_below(*unit_of_row, weights.size()), "units are out of range");
        require(out.shape(0) == n_rank_metrics && out.shape(1) == orders.size(), "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        const RowWeighting rows{data_or_null(unit_of_row), row_weights ? row_weights->data() : nullptr, n};
        paired_bootstrap_ranks(model_orders(orders, block_ends, is_positive), unit_resampler(weights, strata, seed),
                               rows, {seed, first, out.shape(2), n_threads}, wanted, out.data());
    };
    m.def("paired_bootstrap_ranks", paired, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
          nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

void bind_samples(nb::module_& m) {
    m.def("roc_samples", [](Floats roc, std::uint32_t n_positives, std::uint32_t n_negatives, std::uint64_t seed,
                            std::uint64_t first, unsigned n_threads, Wanted wanted, MatrixOut<double> out) {
        require(roc.size() == RocTable::size, "the ROC table has the wrong size");
        require(out.shape(0) == n_rank_metrics, "the output has the wrong shape");
        require(n_positives > 0 && n_negatives > 0, "both classes need cases");
        require(static_cast<double>(n_positives) + n_negatives < most_cases, "too many cases to draw");
        require(std::all_of(roc.data(), roc.data() + roc.size(), [](double rate) { return rate >= 0 && rate <= 1; }),
                "a false positive rate lies between 0 and 1");
        nb::gil_scoped_release unlocked;
        roc_samples({roc.data()}, n_positives, n_negatives, {seed, first, out.shape(1), n_threads}, wanted, out.data());
    });
}

// Any order of memory: a copy of a matrix of scores could be larger than the memory that is left.
template <typename T>
using Scores = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <typename T>
void bind_class_ranks(nb::module_& m) {
    m.def("class_ranks", [](Scores<T> scores, In<T> level, Integers start, Integers truth, Floats weight,
                            Floats balanced, Floats credit, Matrix coefficient, FloatsOut weight_in_slot,
                            FloatsOut balanced_in_slot, MatrixOut<double> sums, unsigned n_threads) {
        const std::size_t n = scores.shape(0), k = scores.shape(1), slots = 2 * level.size() + k;
        require(truth.size() == n && weight.size() == n && balanced.size() == n,
                "every row needs its class and weight");
        require(
            start.size() == k + 1 && start.data()[0] == 0 && start.data()[k] == static_cast<std::int64_t>(level.size()),
            "every class needs its levels");
        require(ascends_from_zero(start), "the levels of classes must follow each other");
        const auto falls = [](T one, T next) { return !(one <= next); };  // or is no number
        for (std::size_t each = 0; each < k; ++each) {
            const T *first = level.data() + start.data()[each], *last = level.data() + start.data()[each + 1];
            require(std::adjacent_find(first, last, falls) == last, "the levels of a class must ascend");
        }
        require(credit.size() == slots && weight_in_slot.size() == slots && balanced_in_slot.size() == slots,
                "the slots have the wrong number");
        require(coefficient.shape(1) == k && sums.shape(0) == coefficient.shape(0) && sums.shape(1) == n,
                "the output has the wrong shape");
        nb::gil_scoped_release unlocked;
        class_ranks<T>({scores.data(), scores.stride(0), scores.stride(1), n, k}, {level.data(), start.data()},
                       {truth.data(), weight.data(), balanced.data()},
                       {credit.data(), coefficient.data(), coefficient.shape(0), weight_in_slot.data(),
                        balanced_in_slot.data(), sums.data()},
                       n_threads);
    });
}

}  // namespace

NB_MODULE(_native, m) {
    bind_samples(m);
    bind_collapse(m);
    bind_ranks(m);
    bind_bootstrap(m);
    bind_rows(m);
    bind_scans(m);
    bind_class_ranks<float>(m);
    bind_class_ranks<double>(m);
}
