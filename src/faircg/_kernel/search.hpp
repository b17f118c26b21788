// The two searches over all rules: the best ones, and all up to a cutoff.
#pragma once

#include <cstdint>

#include "bits.hpp"
#include "clock.hpp"
#include "lists.hpp"

namespace faircg {

struct PricedBits {
    BitsView bits;
    const std::int32_t *family;
    const double *prices;
    double condition_price;
    std::size_t max_conditions;
};

struct Best {
    Lists rules;
    bool is_complete;
    double bound;
    std::uint64_t nodes;
};

Best search(const PricedBits &priced, double cutoff, std::size_t keep, const Limits &limits);
Listing enumerate_below(const PricedBits &priced, double cutoff, std::size_t most,
                        const Limits &limits);

} // namespace faircg
