// Every rule up to a cutoff. Unlike the search for the best rule, nothing is skipped because
// something shorter or cheaper exists: a rule set may need exactly the rule that is not best.
#include <algorithm>
#include <cmath>
#include <utility>

#include "search.hpp"
#include "walk.hpp"

namespace faircg {
namespace {

struct ListAll {
    static constexpr bool is_best_enough = false;

    Price limit;
    Quota *quota;
    Lists rules;

    bool reaches(Price bound) const { return bound <= limit; }

    bool meet(Price cost, Price, const Numbers &conditions, std::int32_t added) {
        if (!reaches(cost))
            return true;
        if (!quota->take())
            return false;
        rules.add(with(conditions, added));
        return true;
    }
};

} // namespace

Listing enumerate_below(const PricedBits &priced, double cutoff, std::size_t most,
                        const Limits &limits) {
    const Totals totals(priced);
    const double price = priced.condition_price;
    const double limit = cutoff + 1e-12 * (totals.all + price); // sums are rounded
    if (2 * price - totals.gains > limit || priced.bits.conditions == 0)
        return {};
    std::size_t deepest = most_conditions(priced);
    if (price > 0) // more conditions than this cost more than all gains
        deepest = static_cast<std::size_t>(
            std::min(static_cast<double>(deepest), std::floor((limit + totals.gains) / price)));
    const double largest = totals.all + price * (1.0 + static_cast<double>(deepest));
    Clock clock(limits);
    Ticker ticker(clock, true);
    const ScaledProblem scaled(priced, 2 * largest, deepest, true, ticker);
    Quota quota(most, clock);
    const ListAll policy{scaled.scale(std::min(limit, 1.5 * largest)) + 1, &quota, {}};

    Walker<ListAll> root(scaled, clock, true);
    root.start(policy);
    std::vector<Task> tasks;
    if (root.weigh_root())
        tasks = root.tasks();
    Workers workers(tasks.empty() ? 1 : std::min(limits.threads, tasks.size()));
    auto walkers = walkers_for<ListAll>(scaled, clock, workers);
    std::vector<Lists> below(tasks.size());
    workers.run(0, tasks.size(), [&](std::size_t t, std::size_t w) {
        if (clock.is_over())
            return;
        walkers[w].walk(root.root(), tasks[t], policy);
        below[t] = std::move(walkers[w].policy().rules);
    });
    Listing result{std::move(root.policy().rules), !clock.is_over(), quota.is_exceeded()};
    if (result.too_many)
        result.lists = {}; // which rules were first is a matter of chance: none is returned
    else
        for (const Lists &lists : below)
            result.lists.append(lists);
    return result;
}

} // namespace faircg
