#include "scaled_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace faircg {
namespace {

Scale checked_scale(double largest) {
    if (!std::isfinite(largest))
        throw std::invalid_argument("prices and condition_price are too large");
    return scale_for(largest);
}

} // namespace

Totals::Totals(const PricedBits &priced) {
    for (std::size_t i = 0; i < priced.bits.rows; ++i) {
        all += std::abs(priced.prices[i]);
        gains += std::max(0.0, -priced.prices[i]);
    }
}

std::size_t most_conditions(const PricedBits &priced) {
    std::vector<std::int32_t> families(priced.family, priced.family + priced.bits.conditions);
    std::sort(families.begin(), families.end());
    const auto distinct = std::unique(families.begin(), families.end()) - families.begin();
    return std::min(priced.max_conditions, static_cast<std::size_t>(distinct));
}

ScaledProblem::ScaledProblem(const PricedBits &priced, double largest, std::size_t most_conditions,
                             bool keep_zero, Ticker &ticker)
    : scale(checked_scale(largest)), condition_price(scale(priced.condition_price)),
      max_conditions(most_conditions) {
    std::vector<Price> prices;
    for (std::size_t i = 0; i < priced.bits.rows; ++i) {
        prices.push_back(scale(priced.prices[i]));
        (prices[i] > 0 ? paid : won) += prices[i];
    }
    for (std::size_t j = 0; j < priced.bits.conditions; ++j) {
        const auto id = static_cast<std::int32_t>(j);
        candidates.push_back({id, id, priced.family[j], 0, 0, 0});
    }
    table = Table(priced.bits, Arrangement(prices, keep_zero), ticker);
}

} // namespace faircg
