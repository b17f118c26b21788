// The two searches over all rules: the best ones, and all up to a cutoff.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bits.hpp"

namespace faircg {

struct Pricing {
    BitsView bits;
    const std::int32_t *family;
    const double *prices;
    double condition_price;
    std::size_t max_conditions;
    double cutoff;
    std::size_t threads;
    double seconds;
    const volatile std::uint8_t *stop; // may be null
    std::function<bool()> poll;        // may be empty
};

// Rules one after the other: rule k is conditions[starts[k]..starts[k + 1]].
struct RuleList {
    std::vector<std::int32_t> conditions;
    std::vector<std::int64_t> starts{0};

    std::size_t size() const { return starts.size() - 1; }
    void add(const std::vector<std::int32_t> &rule);
};

struct Best {
    RuleList rules;
    bool is_complete;
    double bound;
    std::uint64_t nodes;
};

struct All {
    RuleList rules;
    bool is_complete;
    bool too_many;
};

Best search(const Pricing &pricing, std::size_t keep);
All enumerate_below(const Pricing &pricing, std::size_t most);

} // namespace faircg
