#include "rule_sets.hpp"

#include <utility>

#include "set_finder.hpp"
#include "workers.hpp"

namespace faircg {
namespace {

constexpr std::size_t most_stored = 1 << 22; // additions of the root that wait for threads

} // namespace

Listing rule_sets_below(const RuleSetProblem &problem, double limit, std::size_t most,
                        const Limits &limits) {
    if (!(limit >= 0))
        return {};
    Clock clock(limits);
    Ticker ticker(clock, true);
    const ScaledSets scaled(problem, limit, ticker);
    Quota quota(most, clock);
    Workers workers(limits.threads);
    std::vector<SetFinder> finders;
    for (std::size_t w = 0; w < workers.size(); ++w)
        finders.emplace_back(scaled, clock, quota, w == 0);
    // The branches of the root are the tasks. Giving up a cell changes the root, so that each
    // such step is stored until its tasks are done.
    std::vector<SetNode> steps;
    std::vector<std::pair<std::size_t, std::size_t>> tasks;
    const auto run = [&] {
        workers.run(0, tasks.size(), [&](std::size_t i, std::size_t w) {
            if (!clock.is_over())
                finders[w].branch(steps[tasks[i].first], tasks[i].second, 0);
        });
        tasks.clear();
        steps.clear();
    };
    SetNode root = finders[0].root(problem);
    bool goes_on = finders[0].offer(root);
    for (std::size_t stored = 0; goes_on && !clock.look(true) && finders[0].prepare(root);) {
        for (std::size_t i = 0; i < root.branches; ++i)
            tasks.emplace_back(steps.size(), i);
        steps.push_back(root);
        stored += root.additions.size();
        goes_on = finders[0].give_up(root);
        if (stored > most_stored) {
            run();
            stored = 0;
        }
    }
    run();
    Listing result{{}, !clock.is_over(), quota.is_exceeded()};
    for (const SetFinder &finder : finders) {
        result.nodes += finder.nodes();
        if (!result.too_many) // which sets were first is a matter of chance: none is returned
            result.lists.append(finder.sets());
    }
    return result;
}

} // namespace faircg
