#include "table.hpp"

#include <algorithm>

namespace faircg {
namespace {

std::size_t rows_in(Word word) { return static_cast<std::size_t>(std::popcount(word)); }

// Take the covered rows of a word, if there are any.
void take(std::vector<PackStep> &steps, const Word *covered, std::size_t word) {
    if (covered[word])
        steps.push_back({covered[word], static_cast<std::uint32_t>(word),
                         static_cast<std::uint8_t>(std::popcount(covered[word])), false});
}

} // namespace

Table::Table(const BitsView &view, const Arrangement &arrangement, Ticker &ticker)
    : words_(arrangement.rows.size() / 64), won_(arrangement.won), paid_(arrangement.paid),
      bits_(view.conditions * words_), sum_(instructions().sum) {
    RowTaker taker;
    for (std::size_t first = 0; first < view.conditions; first += 64) {
        if (ticker.tick(64 * (view.words + words_)))
            return;
        taker.take(view, first, arrangement.rows, bits_.data() + first * words_);
    }
}

std::size_t Table::words_after(const Word *covered) const {
    std::size_t rows = 0;
    for (std::size_t w = 0; w < words_; ++w)
        rows += rows_in(covered[w]);
    return words_for(rows) + 4;
}

void Table::project(const Table &parent, const Word *covered,
                    const std::vector<std::int32_t> &slots) {
    sum_ = parent.sum_;
    steps_.clear();
    project(parent.won_, covered, 0, won_);
    const std::size_t paid = parent.won_.words(), zero = paid + parent.paid_.words();
    project(parent.paid_, covered, paid, paid_);
    std::size_t zeros = 0;
    for (std::size_t w = zero; w < parent.words_; ++w) {
        zeros += rows_in(covered[w]);
        take(steps_, covered, w);
    }
    if (zeros)
        steps_.back().ends_class = true;
    words_ = won_.words() + paid_.words() + words_for(zeros);

    bits_.resize(slots.size() * words_);
    const auto pack = instructions().pack;
    for (std::size_t i = 0; i < slots.size(); ++i)
        pack(parent[slots[i]], steps_.data(), steps_.data() + steps_.size(),
             bits_.data() + i * words_);
}

// One sign of prices, whose words begin at `start` in the parent.
void Table::project(const PriceClasses &parent, const Word *covered, std::size_t start,
                    PriceClasses &classes) {
    classes.clear();
    rare_steps_.clear();
    for (std::size_t first = 0, last; first < parent.common(); first = last) {
        const Price price = parent.of_word(first);
        std::size_t rows = 0;
        for (last = first; last < parent.common() && parent.of_word(last) == price; ++last)
            rows += rows_in(covered[start + last]);
        const bool is_common = classes.add(price, rows);
        for (std::size_t w = first; w < last; ++w)
            take(is_common ? steps_ : rare_steps_, covered, start + w);
        if (is_common)
            steps_.back().ends_class = true;
    }
    start += parent.common();
    for (std::size_t w = 0; w < parent.rare(); ++w) {
        take(rare_steps_, covered, start + w);
        for (Word x = covered[start + w]; x; x &= x - 1)
            classes.add_rare(parent.of_row(64 * w + static_cast<std::size_t>(std::countr_zero(x))));
    }
    classes.finish();
    if (!rare_steps_.empty()) {
        rare_steps_.back().ends_class = true;
        steps_.insert(steps_.end(), rare_steps_.begin(), rare_steps_.end());
    }
}

} // namespace faircg
