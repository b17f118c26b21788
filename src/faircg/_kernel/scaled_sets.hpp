// The search for rule sets in fixed point. Prices are rounded down, so that no set is lost.
#pragma once

#include <vector>

#include "rule_sets.hpp"
#include "scale.hpp"
#include "table.hpp"

namespace faircg {

struct HeavyCell {
    std::size_t bit; // in the table of missed cells
    Price missed;
};

struct ScaledSets {
    ScaledSets(const RuleSetProblem &problem, double budget, Ticker &ticker);

    Price limit;
    Price spare_price;
    std::int64_t max_complexity;
    std::vector<std::int32_t> usable;  // rules that fit at all
    std::vector<Price> costs;          // of those
    Table first, rest;                 // cells with a price of covering them again
    bool has_touches;                  // any
    Table first_touches, rest_touches; // of the same cells, if there are any
    std::vector<Word> marked;          // from the start: first cells, then the rest
    Table missed;                      // cells with a price of missing them
    std::vector<HeavyCell> heavy;      // the latter, heaviest first
    Table linked;                      // cells with a price of complexity elsewhere

  private:
    void arrange_again(const RuleSetProblem &problem, const std::vector<Price> &again,
                       Ticker &ticker);
    void arrange_marks(const RuleSetProblem &problem, const Arrangement &of_first,
                       const Arrangement &of_rest, Ticker &ticker);
    void arrange_missed(const BitsView &covers, const std::vector<Price> &prices, Ticker &ticker);
};

} // namespace faircg
