// How much further conditions can remove at most: the bound of docs/exact-search.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sums.hpp"

namespace faircg {

// The largest removals, one per family, largest first; as many as can matter.
class Removals {
  public:
    // At most `most` further conditions; two families may be excluded when asked.
    void start(std::size_t most) {
        most_ = most;
        items_.clear();
    }

    void add(std::int32_t family, Price removed) {
        auto item = std::find_if(items_.begin(), items_.end(),
                                 [=](const Item &i) { return i.family == family; });
        if (item != items_.end()) {
            if (item->removed >= removed)
                return;
            items_.erase(item);
        } else if (items_.size() == most_ + 2) {
            if (items_.back().removed >= removed)
                return;
            items_.pop_back();
        }
        items_.insert(std::find_if(items_.begin(), items_.end(),
                                   [=](const Item &i) { return i.removed < removed; }),
                      {family, removed});
    }

    // The least that remains of `paid` plus the price of the conditions that removed the rest,
    // when between `least` and `most` conditions of other families are added.
    Price remains(Price paid, Price condition_price, std::size_t least, std::size_t most,
                  std::int32_t family, std::optional<std::int32_t> other_family = {}) const {
        Price spent = 0;
        Price best = least == 0 ? paid : none;
        std::size_t added = 0;
        for (const Item &item : items_) {
            if (added == most || (paid == 0 && added >= least))
                break;
            if (item.family == family || item.family == other_family)
                continue;
            paid = std::max<Price>(0, paid - item.removed);
            spent += condition_price;
            if (++added >= least)
                best = std::min(best, spent + paid);
        }
        return best;
    }

    static constexpr Price none = Price{1} << 62; // no such rule

  private:
    struct Item {
        std::int32_t family;
        Price removed;
    };
    std::size_t most_ = 0;
    std::vector<Item> items_;
};

} // namespace faircg
