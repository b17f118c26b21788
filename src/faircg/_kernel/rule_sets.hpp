// Every rule set within a budget.
#pragma once

#include <cstdint>
#include <functional>

#include "bits.hpp"
#include "search.hpp"

namespace faircg {

struct SetProblem {
    BitsView covers; // which cells (rows of the view) each rule (condition of the view) covers
    const double *costs;
    const std::int64_t *complexities;
    const double *again;  // per cell and rule beyond the first that covers it
    const double *missed; // per cell that no rule covers
    std::int64_t max_complexity;
    double spare_price;
    double limit;
    std::size_t threads;
    double seconds;
    const volatile std::uint8_t *stop; // may be null
    std::function<bool()> poll;        // may be empty
};

constexpr std::int64_t most_complexity = std::int64_t{1} << 20;
constexpr double most_rules = 1000;     // in a set; the search is as deep
constexpr double largest_price = 1e290; // of all prices together

struct AllSets {
    RuleList sets; // numbers of rules take the place of conditions
    bool is_complete;
    bool too_many;
    std::uint64_t nodes;
};

AllSets rule_sets_below(const SetProblem &problem, std::size_t most);

} // namespace faircg
