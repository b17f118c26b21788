// The walk over all rules, depth first; docs/exact-search.md tells how and why.
//
// A policy says what the walk is for. It has
//   reaches(bound)    whether rules that cost no less than the bound are still of interest,
//   meet(...)         what to do with a rule that was weighed; false stops the walk,
//   is_best_enough    whether a rule may be skipped because another one is as good: right when
//                     the best rule is wanted, wrong when all are.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "bound.hpp"
#include "scaled_problem.hpp"
#include "workers.hpp"

namespace faircg {

// Memory of one depth of the walk, used again and again.
struct Level {
    std::vector<Candidate> candidates;
    std::vector<Price> bounds;
    std::vector<Word> covered;
    std::vector<std::int32_t> slots;
    Removals removals;
    Table table;

    // Most gain first. Children may add only what comes before them, so the most promising
    // have the smallest subtrees (OPUS), and no addition covers less of the gain than the child
    // itself.
    void sort_by_gain() {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
            if (a.won != b.won)
                return a.won < b.won;
            return a.paid != b.paid ? a.paid < b.paid : a.id < b.id;
        });
    }

    // Of candidates that cover the same rows of the rule one is enough. They are sorted.
    void drop_equal(const Table &in, const Word *rule) {
        const auto equal = [&](const Candidate &a, const Candidate &b) {
            if (a.won != b.won || a.paid != b.paid)
                return false;
            const Word *x = in[a.slot], *y = in[b.slot];
            for (std::size_t w = 0; w < in.words(); ++w)
                if ((x[w] ^ y[w]) & rule[w])
                    return false;
            return true;
        };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), equal),
                         candidates.end());
    }

    // Re-pack the covered rows if that pays: packing one condition costs about as much as
    // weighing it eight times, and `next` rules are to be weighed one level below.
    bool project(const Table &from, const Word *of, std::size_t next) {
        const std::size_t words = from.words(), cost = 8 * candidates.size();
        if (next < cost)
            return false;
        const std::size_t after = from.words_after(of);
        if (after >= words || next * (words - after) <= cost * words)
            return false;
        slots.clear();
        for (Candidate &c : candidates) {
            slots.push_back(c.slot);
            c.slot = static_cast<std::int32_t>(slots.size() - 1);
        }
        table.project(from, of, slots);
        return true;
    }

    // Rows of a rule that also meet a condition.
    const Word *both(const Table &in, const Word *rule, const Word *condition) {
        if (!rule) // the table has no other rows than the rule's
            return condition;
        covered.resize(in.words());
        for (std::size_t w = 0; w < in.words(); ++w)
            covered[w] = rule[w] & condition[w];
        return covered.data();
    }
};

class Levels {
  public:
    Level &operator[](std::size_t depth) {
        while (levels_.size() <= depth)
            levels_.emplace_back();
        return levels_[depth];
    }

  private:
    std::deque<Level> levels_; // growing moves nothing
};

// A child of the root, and all rules below it.
struct Task {
    std::size_t index;
    Price bound;
};

// One worker's walk.
template <class Policy> class Walker {
  public:
    Walker(const ScaledProblem &problem, Clock &clock, bool is_caller)
        : problem_(problem), ticker_(clock, is_caller) {}

    // Forget the last walk.
    void start(Policy policy) {
        policy_ = std::move(policy);
        open_ = Removals::none;
        nodes_ = 0;
        rule_.clear();
    }

    // Weigh all rules of one condition. False: stopped.
    bool weigh_root() {
        levels_[0].candidates = problem_.candidates;
        return weigh(problem_.table, nullptr, problem_.paid, levels_[0].candidates);
    }

    // Then: where longer rules of interest may be, the most promising first.
    std::vector<Task> tasks() {
        Level &root = levels_[0];
        prune(problem_.table, nullptr, root);
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < root.bounds.size(); ++i)
            if (policy_.reaches(root.bounds[i]))
                tasks.push_back({i, root.bounds[i]});
        std::stable_sort(tasks.begin(), tasks.end(),
                         [](const Task &a, const Task &b) { return a.bound < b.bound; });
        return tasks;
    }

    const Level &root() { return levels_[0]; }

    // Walk below a child of the root, which another walker may have weighed.
    void walk(const Level &root, const Task &task, Policy policy) {
        start(std::move(policy));
        Removals &removals = levels_[0].removals;
        removals.start(problem_.max_conditions - 1);
        for (std::size_t k = 0; k < task.index; ++k)
            removals.add(root.candidates[k].family, root.candidates[k].removed);
        open_child(problem_.table, nullptr, root, task.index);
    }

    Policy &policy() { return policy_; }
    Price open() const { return open_; } // the least bound of what a stop left unexplored
    std::uint64_t nodes() const { return nodes_; }

  private:
    // Weigh the candidates as additions to a rule that covers `covered` and pays `paid`; keep
    // those that longer rules may contain. False: stopped.
    bool weigh(const Table &table, const Word *covered, Price paid,
               std::vector<Candidate> &candidates) {
        const std::size_t size = rule_.size() + 1;
        const bool is_last = size == problem_.max_conditions;
        const Price price = problem_.price_of(size);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            Candidate c = candidates[i];
            const Word *bits = table[c.slot];
            const Word *both = covered ? covered : bits;
            if (ticker_.tick(table.words()))
                return false;
            ++nodes_;
            c.won = table.won(both, bits);
            if (!policy_.reaches(c.won + price))
                continue;
            c.paid = table.paid(both, bits);
            c.removed = paid - c.paid;
            if constexpr (!Policy::is_best_enough) // a rule that covers nobody is none
                if (c.won == 0 && c.paid == 0 && !table.meets_zero(both, bits))
                    continue;
            if (!policy_.meet(c.won + c.paid + price, c.paid, rule_, c.id))
                return false;
            // Dropping a condition that removes no more than it costs gives a rule as good.
            if (!is_last && !(Policy::is_best_enough && c.removed <= problem_.condition_price))
                candidates[kept++] = c;
        }
        candidates.resize(kept);
        return true;
    }

    // The least cost of the rules that add the candidate and at least one other.
    Price bound(const Candidate &c, const Removals &removals) const {
        const std::size_t size = rule_.size() + 1;
        return c.won + problem_.price_of(size) +
               removals.remains(c.paid, problem_.condition_price, 1, problem_.max_conditions - size,
                                c.family);
    }

    // Drop candidates that no rule of interest can contain, sort the others, and bound each
    // child, which may add only the candidates before it. `covered` is null at the root.
    void prune(const Table &table, const Word *covered, Level &here) const {
        std::vector<Candidate> &candidates = here.candidates;
        Removals &removals = here.removals;
        const std::size_t more = problem_.max_conditions - rule_.size() - 1;
        for (std::size_t before = candidates.size() + 1; candidates.size() < before;) {
            before = candidates.size();
            removals.start(more);
            for (const Candidate &c : candidates)
                removals.add(c.family, c.removed);
            std::erase_if(candidates,
                          [&](const Candidate &c) { return !policy_.reaches(bound(c, removals)); });
        }
        here.sort_by_gain();
        if (Policy::is_best_enough && covered)
            here.drop_equal(table, covered);
        removals.start(more);
        here.bounds.clear();
        for (const Candidate &c : candidates) {
            here.bounds.push_back(bound(c, removals));
            removals.add(c.family, c.removed);
        }
    }

    // Walk over the rules that add child `index`, and then some of the candidates before it.
    // `covered` is null when the table holds only rows of the current rule.
    // The removals of this level must hold the candidates before the index. False: stopped.
    bool open_child(const Table &table, const Word *covered, const Level &here, std::size_t index) {
        const Candidate &child = here.candidates[index];
        const Removals &removals = levels_[rule_.size()].removals;
        Level &below = levels_[rule_.size() + 1];
        const std::size_t size = rule_.size() + 2; // conditions of the grandchildren
        const std::size_t more = problem_.max_conditions - size;
        const Price price = problem_.price_of(size);
        below.candidates.clear();
        for (std::size_t k = 0; k < index; ++k) {
            const Candidate &c = here.candidates[k];
            if (c.family == child.family)
                continue;
            const Price left = std::max<Price>(0, child.paid - c.removed);
            if (policy_.reaches(child.won + price +
                                removals.remains(left, problem_.condition_price, 0, more, c.family,
                                                 child.family)))
                below.candidates.push_back(c);
        }
        if (below.candidates.empty())
            return true;
        const Word *bits = below.both(table, covered, table[child.slot]);
        rule_.push_back(child.id);
        const bool finished = expand(table, bits, child.paid, here.bounds[index]);
        rule_.pop_back();
        return finished;
    }

    // Walk below the current rule with the candidates of its level.
    bool expand(const Table &table, const Word *covered, Price paid, Price bound_here) {
        Level &here = levels_[rule_.size()];
        if (!weigh(table, covered, paid, here.candidates)) {
            open_ = std::min(open_, bound_here);
            return false;
        }
        const std::vector<Candidate> &candidates = here.candidates;
        if (candidates.size() < 2)
            return true;
        prune(table, covered, here);

        const Table *now = &table;
        std::size_t next = 0; // rules to weigh one level below
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (policy_.reaches(here.bounds[i]))
                next += i;
        if (next == 0)
            return true;
        if (here.project(table, covered, next)) {
            ticker_.tick(8 * candidates.size() * table.words());
            now = &here.table;
            covered = nullptr;
        }
        here.removals.start(problem_.max_conditions - rule_.size() - 1);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (policy_.reaches(here.bounds[i]) && !open_child(*now, covered, here, i)) {
                for (++i; i < candidates.size(); ++i)
                    open_ = std::min(open_, here.bounds[i]);
                return false;
            }
            here.removals.add(candidates[i].family, candidates[i].removed);
        }
        return true;
    }

    const ScaledProblem &problem_;
    Ticker ticker_;
    Policy policy_;
    Price open_ = Removals::none;
    std::uint64_t nodes_ = 0;
    Numbers rule_;
    Levels levels_;
};

template <class Policy>
std::vector<Walker<Policy>> walkers_for(const ScaledProblem &problem, Clock &clock,
                                        const Workers &workers) {
    std::vector<Walker<Policy>> walkers;
    for (std::size_t w = 0; w < workers.size(); ++w)
        walkers.emplace_back(problem, clock, w == 0);
    return walkers;
}

} // namespace faircg
