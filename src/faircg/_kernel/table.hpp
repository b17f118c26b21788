// The conditions' bits, with the rows arranged by price.
#pragma once

#include <vector>

#include "classes.hpp"
#include "clock.hpp"

namespace faircg {

class Table {
  public:
    Table() = default;

    // All conditions of the view; the padding bits of the words are zero. Left half done when
    // the ticker says stop.
    Table(const BitsView &view, const Arrangement &arrangement, Ticker &ticker);

    // The rows of `parent` in `covered`, for some of its conditions: slot i of this table is
    // slot slots[i] of the parent. Reuses the memory of this table.
    void project(const Table &parent, const Word *covered, const std::vector<std::int32_t> &slots);

    std::size_t words() const { return words_; }
    const Word *operator[](std::int32_t slot) const {
        return bits_.data() + static_cast<std::size_t>(slot) * words_;
    }

    // Sum of the negative (positive) prices of the rows in both a and b.
    Price won(const Word *a, const Word *b) const { return sum_(a, b, won_.prices()); }
    Price paid(const Word *a, const Word *b) const {
        const std::size_t start = won_.words();
        return sum_(a + start, b + start, paid_.prices());
    }
    // Whether a row of price zero is in both.
    bool meets_zero(const Word *a, const Word *b) const {
        for (std::size_t w = won_.words() + paid_.words(); w < words_; ++w)
            if (a[w] & b[w])
                return true;
        return false;
    }

    // How many words this table would have for the rows in `covered` (an upper estimate).
    std::size_t words_after(const Word *covered) const;

  private:
    void project(const PriceClasses &parent, const Word *covered, std::size_t start,
                 PriceClasses &classes);

    std::size_t words_ = 0;
    PriceClasses won_, paid_;
    std::vector<Word> bits_;
    std::vector<PackStep> steps_, rare_steps_;
    Price (*sum_)(const Word *, const Word *, const Prices &) = nullptr;
};

} // namespace faircg
