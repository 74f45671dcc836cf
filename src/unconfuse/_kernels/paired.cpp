#include "paired.hpp"

#include <stdexcept>

#include "parallel.hpp"

namespace unconfuse {

ModelOrder::ModelOrder(const RowOrder& rows, const bool* is_positive) {
    if (rows.n_rows >= (std::size_t{1} << 31)) throw std::invalid_argument("too many rows: at most 2^31");
    row_and_class_.reserve(rows.n_rows);
    bool run_is_pure = false;
    for (std::size_t b = 0; b < rows.n_blocks; ++b) {
        const std::size_t start = row_and_class_.size(), end = static_cast<std::size_t>(rows.block_end[b]);
        bool pure = true;
        for (std::size_t i = start; i < end; ++i) {
            const auto row = static_cast<std::uint32_t>(rows.order[i]);
            pure = pure && !is_positive[row];
            row_and_class_.push_back(2 * row + (is_positive[row] ? 0 : 1));
        }
        if (!(pure && run_is_pure)) {
            run_end_.push_back(0);
            first_block_of_run_.push_back(static_cast<std::uint32_t>(b));
        }
        run_end_.back() = static_cast<std::uint32_t>(end);
        block_end_.push_back(static_cast<std::uint32_t>(end));
        run_is_pure = pure;
    }
    first_block_of_run_.push_back(static_cast<std::uint32_t>(rows.n_blocks));
}

void ModelOrder::Worker::evaluate(const double* multiplicity, Wanted wanted, double* values) {
    std::size_t i = 0;
    for (std::size_t run = 0; run < positives_.size(); ++run) {
        double weight[2] = {0, 0};
        for (; i < model_.run_end_[run]; ++i) {
            const std::uint32_t row = model_.row_and_class_[i];
            weight[row & 1] += multiplicity[row >> 1];
        }
        positives_[run] = weight[0];
        negatives_[run] = weight[1];
    }
    evaluate_ranks({positives_.data(), negatives_.data(), positives_.size()}, wanted, values,
                   [&](std::size_t run) -> const std::vector<double>& { return parts_of_run(multiplicity, run); });
}

const std::vector<double>& ModelOrder::Worker::parts_of_run(const double* multiplicity, std::size_t run) {
    parts_.clear();
    std::size_t i = run == 0 ? 0 : model_.run_end_[run - 1];
    for (std::size_t b = model_.first_block_of_run_[run]; b < model_.first_block_of_run_[run + 1]; ++b) {
        parts_.push_back(0.0);
        for (; i < model_.block_end_[b]; ++i) parts_.back() += multiplicity[model_.row_and_class_[i] >> 1];
    }
    return parts_;
}

namespace {

class PairedWorker {
public:
    PairedWorker(const std::vector<ModelOrder>& models, const UnitResampler& units, const RowWeighting& rows)
        : units_(units), rows_(rows), scratch_(units.n_units()), counts_(units.n_units()), multiplicity_(rows.n_rows) {
        for (const ModelOrder& model : models) workers_.emplace_back(model);
    }

    const double* draw(std::uint64_t replicate) {
        units_.draw(replicate, scratch_.data(), counts_.data());
        for (std::size_t row = 0; row < rows_.n_rows; ++row) {
            const std::uint32_t count =
                counts_[rows_.unit_of_row ? static_cast<std::size_t>(rows_.unit_of_row[row]) : row];
            multiplicity_[row] = rows_.row_weights ? count * rows_.row_weights[row] : count;
        }
        return multiplicity_.data();
    }

    std::vector<ModelOrder::Worker>& models() { return workers_; }

private:
    const UnitResampler& units_;
    RowWeighting rows_;
    std::vector<std::uint32_t> scratch_, counts_;
    std::vector<double> multiplicity_;
    std::vector<ModelOrder::Worker> workers_;
};

}  // namespace

void paired_bootstrap_ranks(const std::vector<ModelOrder>& models, const UnitResampler& units, const RowWeighting& rows,
                            const ReplicateRange& range, Wanted wanted, double* values) {
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, worker = PairedWorker(models, units, rows)](std::size_t i) mutable {
            const double* multiplicity = worker.draw(range.first + i);
            for (std::size_t model = 0; model < models.size(); ++model) {
                double metrics[n_rank_metrics];
                worker.models()[model].evaluate(multiplicity, wanted, metrics);
                for (unsigned metric = 0; metric < n_rank_metrics; ++metric)
                    if (wanted & (1u << metric))
                        values[(metric * models.size() + model) * range.count + i] = metrics[metric];
            }
        };
    });
}

}  // namespace unconfuse
