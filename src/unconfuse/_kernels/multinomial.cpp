#include "multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace unconfuse {
namespace {

constexpr double deficit_in_sds = 2.5;    // the Poisson total exceeds its target, and is drawn again, in 0.6% of cases
constexpr double binomial_in_draws = 16;  // one binomial costs about this many single draws
constexpr std::size_t most_tables = 512;  // half a megabyte
constexpr std::uint32_t table_pays_from = 2;  // units that share a rate

bool all_alike(const std::vector<double>& weights) {
    return std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights.front(); });
}

}  // namespace

Categorical::Categorical(const std::vector<double>& weights) : size_(weights.size()) {
    if (weights.empty() || all_alike(weights)) return;
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(size_);
    std::vector<double> share(size_);
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < size_; ++i) {
        share[i] = weights[i] / mean;
        (share[i] < 1.0 ? small : large).push_back(i);
    }
    cells_.resize(size_);
    while (!small.empty() && !large.empty()) {
        const std::size_t poor = small.back(), rich = large.back();
        small.pop_back();
        cells_[poor] = {static_cast<std::uint64_t>(std::ldexp(share[poor], 64)), rich};
        share[rich] -= 1.0 - share[poor];
        if (share[rich] < 1.0) {
            large.pop_back();
            small.push_back(rich);
        }
    }
    for (const auto& rest : {small, large})  // exactly 1 but for rounding
        for (const std::size_t i : rest) cells_[i] = {~std::uint64_t{0}, i};
}

Multinomial::Multinomial(std::vector<double> weights, std::uint32_t total)
    : weights_(std::move(weights)), total_(total) {
    weight_sum_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const double top_ups = deficit_in_sds * std::sqrt(static_cast<double>(total));
    by_binomials_ = static_cast<double>(size()) * binomial_in_draws <= top_ups || weight_sum_ <= 0 || total == 0;
    if (!by_binomials_) prepare_poissons();
}

void Multinomial::prepare_poissons() {
    const double total = total_, shortened = std::max(0.0, total - deficit_in_sds * std::sqrt(total));
    rate_per_weight_ = shortened / weight_sum_;
    std::unordered_map<double, std::uint32_t> sharing;
    for (const double weight : weights_)
        if (weight * rate_per_weight_ <= PoissonTable::largest_rate) ++sharing[weight];
    std::unordered_map<double, std::uint16_t> table_of_weight;
    tables_.emplace_back();
    cells_.assign(PoissonTable::n_cells, PoissonTable::undecided);
    table_of_.assign(size(), no_table);
    for (std::size_t i = 0; i < size(); ++i) {
        const auto found = sharing.find(weights_[i]);
        if (found == sharing.end() || found->second < table_pays_from) continue;
        auto known = table_of_weight.find(weights_[i]);
        if (known == table_of_weight.end()) {
            if (tables_.size() == most_tables) continue;
            known = table_of_weight.emplace(weights_[i], static_cast<std::uint16_t>(tables_.size())).first;
            tables_.emplace_back(weights_[i] * rate_per_weight_);
            tables_.back().append_cells(cells_);
        }
        table_of_[i] = known->second;
    }
    own_of_.assign(size(), 0);
    for (std::size_t i = 0; i < size(); ++i) {
        if (table_of_[i] != no_table) continue;
        own_of_[i] = static_cast<std::uint32_t>(own_.size());
        own_.emplace_back(weights_[i] * rate_per_weight_);
    }
    top_up_ = Categorical(weights_);
}

void Multinomial::draw(Generator& random, std::uint32_t* counts, std::size_t stride) const {
    if (by_binomials_)
        draw_by_binomials(random, weights_.data(), size(), weight_sum_, total_, counts, stride);
    else
        draw_poissons(random, counts, stride);
}

void Multinomial::draw_poissons(Generator& random, std::uint32_t* counts, std::size_t stride) const {
    std::uint64_t drawn = try_poissons(random, counts, stride);
    while (drawn > total_) drawn = try_poissons(random, counts, stride);
    for (; drawn < total_; ++drawn) ++counts[top_up_.draw(random) * stride];
}

std::uint32_t Multinomial::resolve(Generator& random, std::size_t unit, std::uint32_t cell) const {
    const std::uint16_t table = table_of_[unit];
    if (table == no_table) return own_[own_of_[unit]].draw(random);
    return tables_[table].draw(random, cell);
}

std::uint64_t Multinomial::try_poissons(Generator& random, std::uint32_t* counts, std::size_t stride) const {
    std::uint64_t sum = 0;
    for (std::size_t start = 0; start < size(); start += chunk) sum += try_chunk(random, start, counts, stride);
    return sum;
}

// Four units share the 64 bits of one random number. Undecided units are put on a list, without a branch, and resolved
// afterwards.
std::uint64_t Multinomial::try_chunk(Generator& random, std::size_t start, std::uint32_t* counts,
                                     std::size_t stride) const {
    constexpr int bits_each = 16, unused = bits_each - PoissonTable::cell_bits;
    const std::size_t n = std::min(chunk, size() - start);
    const std::uint8_t* const cells = cells_.data();
    const std::uint16_t* const table_of = table_of_.data() + start;
    counts += start * stride;
    std::uint32_t pending[chunk];  // place and cell
    std::size_t n_pending = 0;
    std::uint64_t sum = 0;
    Generator local = random;  // a copy stays in registers
    const auto guess = [&](std::size_t i, std::uint64_t bits) {
        const std::uint32_t cell = static_cast<std::uint32_t>(bits) & (PoissonTable::n_cells - 1);
        const std::uint32_t outcome = cells[std::size_t{table_of[i]} * PoissonTable::n_cells + cell];
        pending[n_pending] = static_cast<std::uint32_t>(i) << bits_each | cell;
        n_pending += (outcome + 1) >> 8;  // 1 if undecided
        counts[i * stride] = outcome;
        sum += outcome;
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const std::uint64_t bits = local.bits() >> unused;
        guess(i, bits);
        guess(i + 1, bits >> bits_each);
        guess(i + 2, bits >> 2 * bits_each);
        guess(i + 3, bits >> 3 * bits_each);
    }
    for (; i < n; ++i) guess(i, local.bits() >> unused);
    random = local;
    for (std::size_t k = 0; k < n_pending; ++k) {
        const std::size_t place = pending[k] >> bits_each;
        const std::uint32_t count = resolve(random, start + place, pending[k] & (PoissonTable::n_cells - 1));
        counts[place * stride] = count;
        sum += count;
    }
    return sum - n_pending * PoissonTable::undecided;
}

void draw_by_binomials(Generator& random, const double* weights, std::size_t n, double weight_sum, std::uint32_t total,
                       std::uint32_t* counts, std::size_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t count = binomial(random, total, weights[i] / weight_sum);
        counts[i * stride] = count;
        total -= count;
        weight_sum -= weights[i];
    }
    // Rounding of the remaining weight may leave a few draws over: they belong to the last unit that has any weight.
    for (std::size_t i = n; total > 0 && i-- > 0;)
        if (weights[i] > 0) counts[i * stride] += std::exchange(total, 0u);
}

}  // namespace unconfuse
