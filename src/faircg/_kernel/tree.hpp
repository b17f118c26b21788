// What both searches share: candidates, the memory of a level, and the step to a child.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "bound.hpp"
#include "search.hpp"
#include "table.hpp"
#include "workers.hpp"

namespace faircg {

// A condition that the rule of a node may get, and what the longer rule covers then.
struct Candidate {
    std::int32_t slot; // in the table
    std::int32_t id;   // the condition
    std::int32_t family;
    Price won;     // negative prices covered
    Price paid;    // positive prices covered
    Price removed; // positive prices that the node's rule covers and the longer rule does not
};

// All conditions, nothing known yet.
inline std::vector<Candidate> all_candidates(const Pricing &pricing) {
    std::vector<Candidate> candidates(pricing.bits.conditions);
    for (std::size_t j = 0; j < candidates.size(); ++j) {
        const auto id = static_cast<std::int32_t>(j);
        candidates[j] = {id, id, pricing.family[j], 0, 0, 0};
    }
    return candidates;
}

// Most gain first. Children may add only what comes before them, so the most promising have
// the smallest subtrees (OPUS), and no addition covers less of the gain than the child itself.
inline void sort_by_gain(std::vector<Candidate> &candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
        if (a.won != b.won)
            return a.won < b.won;
        return a.paid != b.paid ? a.paid < b.paid : a.id < b.id;
    });
}

// A rule has at most one condition per family, so no more conditions than families.
inline std::size_t most_conditions(const Pricing &pricing) {
    std::vector<std::int32_t> families(pricing.family, pricing.family + pricing.bits.conditions);
    std::sort(families.begin(), families.end());
    const auto distinct = std::unique(families.begin(), families.end()) - families.begin();
    return std::min(pricing.max_conditions, static_cast<std::size_t>(distinct));
}

// Memory of one depth of the search, used again and again.
struct Level {
    std::vector<Candidate> candidates;
    std::vector<Price> bounds;
    std::vector<Word> covered;
    std::vector<std::int32_t> slots;
    Removals removals;
    Table table;

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

} // namespace faircg
