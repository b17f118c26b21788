// The best rules met by a search, and the choice among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "lists.hpp"
#include "sums.hpp"

namespace faircg {

struct Found {
    Price cost;
    Price paid;
    Numbers rule; // ascending

    // Better first: cheaper, then shorter, then by conditions.
    bool operator<(const Found &other) const;
};

// At most `room` rules; of rules with equal sums (mostly variants of one) only the shortest.
class Shelf {
  public:
    explicit Shelf(std::size_t room = 0) : room_(room) {}

    bool wants(Price cost) const { return room_ && (items_.size() < room_ || cost <= worst_); }
    void offer(Found found);
    std::vector<Found> take() { return std::move(items_); }

  private:
    std::size_t room_;
    Price worst_ = 0;
    std::vector<Found> items_;
};

// What the search for the best rule does with the rules it meets.
struct KeepBest {
    static constexpr bool is_best_enough = true;

    Price best; // known, or the cutoff
    Price cutoff;
    Shelf shelf;

    bool reaches(Price bound) const { return bound < best; }

    // The rule consists of `conditions`, in any order, and one more.
    bool meet(Price cost, Price paid, const Numbers &conditions, std::int32_t added) {
        if (cost < cutoff && shelf.wants(cost))
            shelf.offer({cost, paid, with(conditions, added)});
        best = std::min(best, cost);
        return true;
    }
};

// The best `keep` rules of different coverage: first rules that are no variants of a better
// one, then variants if there is room. Every rule is shortened to the conditions it needs.
Lists choose(const BitsView &bits, std::vector<Found> found, std::size_t keep);

} // namespace faircg
