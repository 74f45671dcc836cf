// The only file that knows Python: it unpacks arrays, lets go of the GIL and calls the kernels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "collapse.hpp"
#include "radix_sort.hpp"

namespace nb = nanobind;
using namespace unconfuse;

namespace {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = In<double>;
using Flags = In<bool>;
using FloatsOut = Out<double>;

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

TableOut table_out(FloatsOut& score, FloatsOut& positives, FloatsOut& negatives, std::size_t room) {
    require(score.size() >= room && positives.size() >= room && negatives.size() >= room, "too little room for a table");
    return {score.data(), positives.data(), negatives.data()};
}

Table table_in(const Floats& score, const Floats& positives, const Floats& negatives) {
    require(score.size() == positives.size() && score.size() == negatives.size(), "columns of a table differ in length");
    return {score.data(), positives.data(), negatives.data(), score.size()};
}

void bind_collapse(nb::module_& m) {
    m.def("count_true", [](Flags flags) {
        nb::gil_scoped_release unlocked;
        return count_true(flags.data(), flags.size());
    });
    m.def("split_by_class", [](Floats score, Flags is_positive, FloatsOut positives, FloatsOut negatives) {
        const std::size_t n = score.size();
        require(is_positive.size() == n, "scores and labels differ in length");
        nb::gil_scoped_release unlocked;
        require(count_true(is_positive.data(), n) == positives.size() && n - positives.size() == negatives.size(),
                "the output arrays do not fit the classes");
        split_by_class(score.data(), is_positive.data(), n, positives.data(), negatives.data());
    });
    m.def("merge_classes", [](Floats positives, Floats negatives, FloatsOut score, FloatsOut n_positives,
                              FloatsOut n_negatives) {
        const TableOut out = table_out(score, n_positives, n_negatives, positives.size() + negatives.size());
        nb::gil_scoped_release unlocked;
        return merge_classes(positives.data(), positives.size(), negatives.data(), negatives.size(), out);
    });
    m.def("collapse_weighted", [](Floats score, Flags is_positive, Floats weights, FloatsOut out_score,
                                  FloatsOut out_positives, FloatsOut out_negatives) {
        const std::size_t n = score.size();
        require(is_positive.size() == n && weights.size() == n, "scores, labels and weights differ in length");
        const TableOut out = table_out(out_score, out_positives, out_negatives, n);
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<WeightedRow[]> rows(new WeightedRow[n]), scratch(new WeightedRow[n]);
        const std::size_t kept = pack_rows(score.data(), is_positive.data(), weights.data(), n, rows.get());
        return collapse_sorted_rows(radix_sort(rows.get(), scratch.get(), kept), kept, out);
    });
    m.def("merge_tables", [](Floats score_a, Floats positives_a, Floats negatives_a, Floats score_b, Floats positives_b,
                             Floats negatives_b, FloatsOut score, FloatsOut positives, FloatsOut negatives) {
        const Table a = table_in(score_a, positives_a, negatives_a), b = table_in(score_b, positives_b, negatives_b);
        const TableOut out = table_out(score, positives, negatives, a.size + b.size);
        nb::gil_scoped_release unlocked;
        return merge_tables(a, b, out);
    });
}

}  // namespace

NB_MODULE(_native, m) { bind_collapse(m); }
