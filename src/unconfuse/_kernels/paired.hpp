// Rank metrics of several models under the same row multiplicities, so that their differences are paired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks.hpp"
#include "rows.hpp"
#include "units.hpp"

namespace unconfuse {

// One model's rows in order, with neighbouring pure-negative tie blocks merged into runs.
class ModelOrder {
public:
    ModelOrder(const RowOrder& rows, const bool* is_positive);
    // Rank metrics when row i counts multiplicity[i] times.
    class Worker {
    public:
        explicit Worker(const ModelOrder& model)
            : model_(model), positives_(model.run_end_.size()), negatives_(model.run_end_.size()) {}
        void evaluate(const double* multiplicity, Wanted wanted, double* values);

    private:
        const std::vector<double>& parts_of_run(const double* multiplicity, std::size_t run);
        const ModelOrder& model_;
        std::vector<double> positives_, negatives_, parts_;
    };

private:
    std::vector<std::uint32_t> row_and_class_;  // twice the row, plus 1 for a negative
    std::vector<std::uint32_t> block_end_, run_end_, first_block_of_run_;
};

struct RowWeighting {
    const std::int64_t* unit_of_row;  // null: every row is its own unit
    const double* row_weights;        // null: 1; the weight of a row each time its unit is drawn
    std::size_t n_rows;
};

// Writes values[(metric * n_models + model) * count + i].
void paired_bootstrap_ranks(const std::vector<ModelOrder>& models, const UnitResampler& units, const RowWeighting& rows,
                            const ReplicateRange& range, Wanted wanted, double* values);

}  // namespace unconfuse
