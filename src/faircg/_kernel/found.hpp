// The best rules met by a search, and the choice among them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search.hpp"
#include "sums.hpp"

namespace faircg {

struct Found {
    Price cost;
    Price paid;
    std::vector<std::int32_t> rule; // ascending

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

// The best `keep` rules of different coverage: first rules that are no variants of a better
// one, then variants if there is room. Every rule is shortened to the conditions it needs.
RuleList choose(const BitsView &bits, std::vector<Found> found, std::size_t keep);

} // namespace faircg
