// Every rule set within a budget.
#pragma once

#include <cstdint>

#include "bits.hpp"
#include "clock.hpp"
#include "lists.hpp"

namespace faircg {

struct RuleSetProblem {
    BitsView covers; // which cells (rows of the view) each rule (condition of the view) covers
    const double *costs;
    const std::int64_t *complexities;
    const double *again;  // per cell and cover, touch or mark of it beyond the first
    const double *missed; // per cell that no rule covers
    std::int64_t max_complexity;
    double spare_price;
    BitsView touches;   // which cells each rule touches; none of those that it covers
    const Word *marked; // the cells that are marked from the start
    // Per cell that some rule covers, and unit of complexity of which no rule covers it.
    const double *linked;
};

constexpr std::int64_t most_complexity = std::int64_t{1} << 20;
constexpr double most_rules = 1000;     // in a set; the search is as deep
constexpr double largest_price = 1e290; // of all prices together

Listing rule_sets_below(const RuleSetProblem &problem, double limit, std::size_t most,
                        const Limits &limits);

} // namespace faircg
