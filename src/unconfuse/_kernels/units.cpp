#include "units.hpp"

#include <numeric>
#include <stdexcept>

#include "coarse_table.hpp"
#include "parallel.hpp"

namespace unconfuse {

constexpr std::int64_t most_strata = 1'000'000;  // a larger number is a mistake and would only eat memory

UnitResampler::UnitResampler(const double* weights, const std::int64_t* strata, std::size_t n_units, std::uint64_t seed)
    : n_units_(n_units), seed_(seed) {
    check_weights(weights, n_units);
    std::vector<std::vector<double>> stratum_weights;
    for (std::size_t unit = 0; unit < n_units; ++unit) {
        const std::int64_t which = strata ? strata[unit] : 0;
        if (which < 0 || which > most_strata) throw std::invalid_argument("strata must be numbered 0, 1, 2, ...");
        const auto stratum = static_cast<std::size_t>(which);
        if (stratum >= strata_.size()) {
            strata_.resize(stratum + 1);
            stratum_weights.resize(stratum + 1);
        }
        strata_[stratum].units.push_back(unit);
        stratum_weights[stratum].push_back(weights[unit]);
    }
    for (std::size_t i = 0; i < strata_.size(); ++i) {
        const double total = std::accumulate(stratum_weights[i].begin(), stratum_weights[i].end(), 0.0);
        strata_[i].counts = Multinomial(std::move(stratum_weights[i]), whole_total(total));
    }
}

void UnitResampler::draw(std::uint64_t replicate, std::uint32_t* scratch, std::uint32_t* counts) const {
    Generator random(seed_, replicate, 0);
    if (strata_.size() == 1) {
        strata_[0].counts.draw(random, counts);
        return;
    }
    for (const Stratum& stratum : strata_) {
        stratum.counts.draw(random, scratch);
        for (std::size_t i = 0; i < stratum.units.size(); ++i) counts[stratum.units[i]] = scratch[i];
    }
}

void bootstrap_units(const UnitResampler& units, const ReplicateRange& range, std::uint32_t* multiplicities) {
    for_each_replicate(range.count, range.n_threads, [&] {
        return [&, scratch = std::vector<std::uint32_t>(units.n_units())](std::size_t i) mutable {
            units.draw(range.first + i, scratch.data(), multiplicities + i * units.n_units());
        };
    });
}

void sums_of_units(const Holdings& holdings, const double* times, std::size_t n_rows, std::size_t n_units,
                   unsigned n_threads, double* sums) {
    for_each_replicate(n_rows, n_threads, [=] {
        return [=](std::size_t row) {
            const double* const own = times + row * n_units;
            for (std::size_t cell = 0; cell < holdings.n_cells; ++cell) {
                double sum = 0.0;
                for (std::int64_t i = holdings.start[cell]; i < holdings.start[cell + 1]; ++i)
                    sum += holdings.held[i] * own[holdings.unit[i]];
                sums[row * holdings.n_cells + cell] = sum;
            }
        };
    });
}

}  // namespace unconfuse
