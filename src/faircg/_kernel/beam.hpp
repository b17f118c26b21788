// A few promising rules, extended one condition at a time, so that the exact search starts with
// a good rule in hand.
#pragma once

#include "found.hpp"
#include "scaled_problem.hpp"

namespace faircg {

class Beam {
  public:
    Beam(const ScaledProblem &problem, KeepBest &policy, Ticker &ticker)
        : problem_(problem), policy_(policy), ticker_(ticker) {}

    // Rules of the conditions given, which were weighed alone. Stops when the ticker says so.
    void run(const std::vector<Candidate> &conditions);
    std::uint64_t nodes() const { return nodes_; }

  private:
    struct Item {
        Price sum;
        Price paid;
        Numbers rule; // in the order of addition
    };

    static void select(std::vector<Item> &beam);
    bool extend(const Item &item, const std::vector<Candidate> &conditions,
                std::vector<Item> &longer);

    const ScaledProblem &problem_;
    KeepBest &policy_;
    Ticker &ticker_;
    std::uint64_t nodes_ = 0;
    std::vector<Word> covered_;
};

} // namespace faircg
