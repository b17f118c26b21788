// Priced bits in fixed point: what every walk over its rules needs.
#pragma once

#include <vector>

#include "scale.hpp"
#include "search.hpp"
#include "table.hpp"

namespace faircg {

// What the prices of the rows add up to.
struct Totals {
    explicit Totals(const PricedBits &priced);

    double all = 0;   // absolute values
    double gains = 0; // of the negative prices
};

// A rule has at most one condition per family, so no more conditions than families.
std::size_t most_conditions(const PricedBits &priced);

// A condition that the rule of a node may get, and what the longer rule covers then.
struct Candidate {
    std::int32_t slot; // in the table
    std::int32_t id;   // the condition
    std::int32_t family;
    Price won;     // negative prices covered
    Price paid;    // positive prices covered
    Price removed; // positive prices that the node's rule covers and the longer rule does not
};

struct ScaledProblem {
    // No sum exceeds `largest`; rows of price zero stay in the table only if asked for.
    ScaledProblem(const PricedBits &priced, double largest, std::size_t most_conditions,
                  bool keep_zero, Ticker &ticker);

    // What a rule of so many conditions pays for them and for itself.
    Price price_of(std::size_t conditions) const {
        return condition_price * static_cast<Price>(1 + conditions);
    }

    Scale scale;
    Price condition_price;
    std::size_t max_conditions;
    Price won = 0, paid = 0;           // by a rule that covers every row
    std::vector<Candidate> candidates; // all conditions, nothing known yet
    Table table;                       // condition j is in slot j
};

} // namespace faircg
