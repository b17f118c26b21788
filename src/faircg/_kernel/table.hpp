// Rows arranged by price, and the conditions' bits in that arrangement.
#pragma once

#include <vector>

#include "sums.hpp"

namespace faircg {

// A fixed-point scale: price * 2^exponent, rounded, so that no sum overflows.
struct Scale {
    int exponent;

    Price operator()(double value) const;
    double back(Price value) const;
};

// A scale for sums of absolute value up to `largest`.
Scale scale_for(double largest);

// Words in the order: negative prices (common, rare), positive prices (common, rare), zero
// prices. Rows of a common price share words; padding bits are zero.
class Table {
  public:
    Table() = default;

    // All conditions of the view; rows of price zero only if asked for.
    Table(const BitsView &view, const std::vector<Price> &prices, bool keep_zero);

    // The rows of `parent` in `covered`, for some of its conditions: slot i of this table is
    // slot slots[i] of the parent. Reuses the memory of this table.
    void project(const Table &parent, const Word *covered, const std::vector<std::int32_t> &slots);

    std::size_t words() const { return words_; }
    const Word *operator[](std::size_t slot) const { return bits_.data() + slot * words_; }

    // Sum of the negative (positive) prices of the rows in both a and b.
    Price won(const Word *a, const Word *b) const {
        return sum_(a, b, {common_[0], rare_[0], word_price_.data(), row_price_.data()});
    }
    Price paid(const Word *a, const Word *b) const {
        const std::size_t start = common_[0] + rare_[0];
        return sum_(a + start, b + start,
                    {common_[1], rare_[1], word_price_.data() + common_[0],
                     row_price_.data() + 64 * rare_[0]});
    }
    // Whether a row of price zero is in both.
    bool meets_zero(const Word *a, const Word *b) const {
        for (std::size_t w = words_ - zero_; w < words_; ++w)
            if (a[w] & b[w])
                return true;
        return false;
    }

    // How many words this table would have for the rows in `covered` (an upper estimate).
    std::size_t words_after(const Word *covered) const;

  private:
    std::size_t words_ = 0;
    std::size_t common_[2] = {0, 0}; // words: negative, positive
    std::size_t rare_[2] = {0, 0};
    std::size_t zero_ = 0;
    std::vector<Price> word_price_;
    std::vector<Price> row_price_;
    std::vector<Word> bits_;
    std::vector<PackStep> steps_;
    Price (*sum_)(const Word *, const Word *, const Prices &) = nullptr;
};

} // namespace faircg
