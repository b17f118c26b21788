// Rule sets, depth first: the heaviest cell that is not decided yet is covered by one of the
// rules left, or given up; or else one of the rules left is that of the smallest penalty,
// whatever is less to try. The proofs are in docs/exact-search.md.
#pragma once

#include <deque>
#include <vector>

#include "clock.hpp"
#include "knapsack.hpp"
#include "scaled_sets.hpp"

namespace faircg {

// A rule that may be added to a set.
struct Addition {
    std::int32_t rule;
    std::int32_t complexity;
    Price penalty; // its cost, what it covers again, and the links of cells it does not cover
    Price missed;  // price of the open cells that it covers
    Price touch;   // what it touches that is marked and not touched yet: may shrink
    Price links;   // of the cells that it covers and no rule taken does: may shrink
};

// Rules taken, cells decided, and the rules that may be added.
struct SetNode {
    Price excess = 0;          // of the rules taken, and of the cells given up
    std::int64_t room = 0;     // complexity left
    Price open_missed = 0;     // price of all open cells
    std::size_t heaviest = 0;  // cells before it in the order of weight are decided
    std::vector<Word> marked;  // covered, touched or marked: first cells, then the rest
    std::vector<Word> touched; // in the same order; empty if no rule touches a cell
    std::vector<Word> open;
    std::vector<Word> linked; // covered cells, as links are arranged
    Price links = 0;          // of those: each unit of complexity left over pays them as well
    std::vector<Addition> additions;
    Knapsack by_missed; // what additions win if all cells they cover would else be missed
    Knapsack by_cost;   // and if none would
    std::size_t branches = 0;
    bool is_ordered = false;  // the additions are, by penalty; each is a branch
    Price least = 0;          // penalty of an addition
    std::int32_t longest = 1; // complexity of an addition
};

// One worker's search.
class SetFinder {
  public:
    SetFinder(const ScaledSets &problem, Clock &clock, Quota &quota, bool is_caller)
        : problem_(problem), clock_(clock), quota_(quota), ticker_(clock, is_caller),
          fresh_(problem.first.words() + problem.rest.words()), charged_(fresh_.size()),
          lost_(problem.missed.words()), joined_(problem.linked.words()) {}

    // No rule taken, nothing decided.
    SetNode root(const RuleSetProblem &problem) const;

    // Report the set of the rules taken and nothing else. False: stopped.
    bool offer(const SetNode &node) { return offer(worst(node)); }

    // Drop what no set within the limit contains, and put first the additions to branch on.
    // False: nothing to branch on, or stopped.
    bool prepare(SetNode &node);

    // The sets that contain addition `i` of the node and none before it. False: stopped.
    bool branch(const SetNode &node, std::size_t i, std::size_t depth);

    // After all branches: the heaviest cell stays without a rule. False: no cell was open.
    bool give_up(SetNode &node) const;

    const Lists &sets() const { return sets_; }
    std::uint64_t nodes() const { return nodes_; }

  private:
    bool offer(Price excess);
    bool explore(std::size_t depth);
    void give_up_lost(SetNode &node);
    void bound(SetNode &node) const;
    void choose_branches(SetNode &node) const;
    void order(SetNode &node) const;
    bool may_hold_more(const SetNode &node, const Addition &a) const;
    Price fill(const SetNode &node, std::int64_t room, Price each) const;
    Price most_of_next(const SetNode &node) const;
    bool make_child(const SetNode &node, std::size_t index, SetNode &child);
    void touch(const SetNode &node, std::int32_t rule, SetNode &child);
    bool weigh(const SetNode &node, std::size_t index, SetNode &child);
    bool weigh(const SetNode &node, const Addition &taken, Addition a, SetNode &child);
    void limit_penalties(const SetNode &node, const Addition &taken, Price each,
                         const SetNode &child);
    Price touch_price(const std::vector<Word> &charged, std::int32_t rule) const;

    SetNode &level(std::size_t depth) {
        while (levels_.size() <= depth)
            levels_.emplace_back();
        return levels_[depth];
    }

    // The excess if nothing is added.
    Price worst(const SetNode &node) const {
        return node.excess + node.open_missed + spare(node, node.room);
    }
    Price spare(const SetNode &node, std::int64_t room) const {
        return (problem_.spare_price + node.links) * room;
    }
    // What it wins in any company: of what rules touch together, another one may pay.
    Price value(const SetNode &node, const Addition &a) const {
        return a.missed - a.penalty + spare(node, a.complexity);
    }
    // What is paid for it in any company, by itself or by another one.
    Price shared(const SetNode &node, const Addition &a) const {
        return a.touch + a.links * (problem_.max_complexity - node.room);
    }
    // How much smaller the excess is if it is added alone.
    Price alone(const SetNode &node, const Addition &a) const {
        return value(node, a) - a.touch - a.links * (problem_.max_complexity - a.complexity);
    }

    const ScaledSets &problem_;
    Clock &clock_;
    Quota &quota_;
    Ticker ticker_;
    Lists sets_;
    Numbers taken_;
    std::vector<Word> fresh_;   // marked by the rule taken
    std::vector<Word> charged_; // marked and not touched: touching them costs
    std::vector<Word> lost_;
    std::vector<Price> most_;  // penalty of an addition to the child, by the room after it
    std::vector<Word> joined_; // covered by the rule taken and by none before, as links are
    std::deque<SetNode> levels_;
    std::uint64_t nodes_ = 0;
};

} // namespace faircg
