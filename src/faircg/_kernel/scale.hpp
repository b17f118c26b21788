// Fixed point: prices as integers.
#pragma once

#include <cmath>

#include "sums.hpp"

namespace faircg {

// price * 2^exponent, rounded, so that no sum overflows.
struct Scale {
    int exponent;

    Price operator()(double value) const {
        return static_cast<Price>(std::llround(std::ldexp(value, exponent)));
    }
    double back(Price value) const { return std::ldexp(static_cast<double>(value), -exponent); }
};

// A scale for sums of absolute value up to `largest`.
inline Scale scale_for(double largest) {
    int bits = 0;
    std::frexp(largest, &bits); // largest < 2^bits
    return {largest > 0 ? 61 - bits : 0};
}

} // namespace faircg
