// The most that things of given sizes and values can be worth together, by the room there is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "sums.hpp"

namespace faircg {

class Knapsack {
  public:
    void start(std::int64_t room) {
        room_ = room;
        best_.assign(static_cast<std::size_t>(room) + 1, 0);
        tops_.resize(best_.size());
        for (std::vector<Price> &top : tops_)
            top.clear();
    }

    void add(std::int64_t size, Price value) {
        if (value <= 0 || size > room_)
            return;
        std::vector<Price> &top = tops_[static_cast<std::size_t>(size)];
        const auto most = static_cast<std::size_t>(room_ / size);
        if (top.size() == most && value <= top.back())
            return;
        if (top.size() == most)
            top.pop_back();
        top.insert(std::upper_bound(top.begin(), top.end(), value, std::greater<>()), value);
    }

    void solve() {
        for (std::size_t size = 1; size < tops_.size(); ++size)
            for (const Price value : tops_[size])
                for (std::size_t r = best_.size() - 1; r >= size; --r)
                    best_[r] = std::max(best_[r], best_[r - size] + value);
    }

    Price operator[](std::int64_t room) const { return best_[static_cast<std::size_t>(room)]; }

  private:
    std::int64_t room_ = 0;
    std::vector<Price> best_;
    std::vector<std::vector<Price>> tops_; // largest values of each size, descending
};

} // namespace faircg
