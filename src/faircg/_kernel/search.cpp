// The rule of least reduced cost by branch and bound.
#include "search.hpp"

#include <algorithm>
#include <utility>

#include "beam.hpp"
#include "walk.hpp"

namespace faircg {
namespace {

// What a part of the search found, or all parts together.
struct Outcome {
    Price best;
    Price open = Removals::none;
    std::uint64_t nodes = 0;
    std::vector<Found> found{};

    void add(Outcome other) {
        best = std::min(best, other.best);
        open = std::min(open, other.open);
        nodes += other.nodes;
        std::move(other.found.begin(), other.found.end(), std::back_inserter(found));
    }
};

Outcome outcome_of(Walker<KeepBest> &walker) {
    KeepBest &policy = walker.policy();
    return {policy.best, walker.open(), walker.nodes(), policy.shelf.take()};
}

// Weigh the rules of one condition, look for a good longer one, and set the tasks.
std::vector<Task> open_root(Walker<KeepBest> &root, const ScaledProblem &problem, std::size_t room,
                            Clock &clock, Outcome &outcome) {
    std::vector<Task> tasks;
    const Price cutoff = outcome.best;
    root.start({cutoff, cutoff, Shelf(room)});
    if (!root.weigh_root()) {
        outcome.open = problem.won + problem.price_of(1);
    } else if (problem.max_conditions > 1) {
        KeepBest policy{root.policy().best, cutoff, Shelf(room)};
        Ticker ticker(clock, true);
        Beam beam(problem, policy, ticker);
        beam.run(root.root().candidates);
        outcome.add({policy.best, Removals::none, beam.nodes(), policy.shelf.take()});
        root.policy().best = policy.best;
        tasks = root.tasks();
    }
    outcome.add(outcome_of(root));
    return tasks;
}

// The tasks in waves: what a wave found is known to the next.
void run_tasks(const std::vector<Task> &tasks, const Level &root, const ScaledProblem &problem,
               const KeepBest &policy, std::size_t threads, Clock &clock, Outcome &outcome) {
    Workers workers(tasks.empty() ? 1 : std::min(threads, tasks.size()));
    auto walkers = walkers_for<KeepBest>(problem, clock, workers);
    std::vector<Outcome> outcomes(tasks.size());
    for (std::size_t first = 0, last; first < tasks.size(); first = last) {
        last = wave_end(first, tasks.size());
        KeepBest now = policy;
        now.best = outcome.best;
        if (!now.reaches(tasks[first].bound))
            return; // nor do all later ones
        if (clock.is_over()) {
            outcome.open = std::min(outcome.open, tasks[first].bound);
            return;
        }
        workers.run(first, last, [&](std::size_t t, std::size_t w) {
            outcomes[t].best = now.best;
            if (now.reaches(tasks[t].bound)) {
                walkers[w].walk(root, tasks[t], now);
                outcomes[t] = outcome_of(walkers[w]);
            }
        });
        for (std::size_t t = first; t < last; ++t)
            outcome.add(std::move(outcomes[t]));
    }
}

} // namespace

Best search(const PricedBits &priced, double cutoff, std::size_t keep, const Limits &limits) {
    const Totals totals(priced);
    // The cheapest conceivable rule covers all gains with one condition.
    if (2 * priced.condition_price - totals.gains >= cutoff || priced.bits.conditions == 0)
        return {{}, true, cutoff, 0};
    Clock clock(limits);
    Ticker ticker(clock, true);
    const std::size_t deepest = most_conditions(priced);
    const double largest =
        totals.all + priced.condition_price * (1.0 + static_cast<double>(deepest));
    const ScaledProblem scaled(priced, largest, deepest, false, ticker);
    const Price nothing = cutoff < -totals.all ? -(Price{1} << 61) : scaled.scale(cutoff);
    const std::size_t room = 4 * std::min<std::size_t>(keep, 1 << 20) + 4;

    Outcome outcome{nothing};
    Walker<KeepBest> root(scaled, clock, true);
    const std::vector<Task> tasks = open_root(root, scaled, room, clock, outcome);
    run_tasks(tasks, root.root(), scaled, {nothing, nothing, Shelf(room / 8 + 4)}, limits.threads,
              clock, outcome);

    const Price bound = std::min(outcome.best, outcome.open);
    return {choose(priced.bits, std::move(outcome.found), keep), outcome.open >= outcome.best,
            bound == nothing ? cutoff : scaled.scale.back(bound), outcome.nodes};
}

} // namespace faircg
