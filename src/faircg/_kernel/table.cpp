#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace faircg {
namespace {

// Fewer rows of one price than this are summed row by row.
constexpr std::size_t rows_of_a_class = 8;

// Transpose a 64 x 64 bit matrix in place (Hacker's Delight, section 7-3).
void transpose(Word m[64]) {
    Word mask = 0x00000000FFFFFFFFull;
    for (int width = 32; width; width >>= 1, mask ^= mask << width)
        for (int k = 0; k < 64; k = (k + width + 1) & ~width) {
            const Word swapped = ((m[k] >> width) ^ m[k + width]) & mask;
            m[k] ^= swapped << width;
            m[k + width] ^= swapped;
        }
}

constexpr std::size_t no_row = static_cast<std::size_t>(-1);

} // namespace

Price Scale::operator()(double value) const {
    return static_cast<Price>(std::llround(std::ldexp(value, exponent)));
}

double Scale::back(Price value) const { return std::ldexp(static_cast<double>(value), -exponent); }

Scale scale_for(double largest) {
    int bits = 0;
    std::frexp(largest, &bits); // largest < 2^bits
    return {largest > 0 ? 61 - bits : 0};
}

Table::Table(const BitsView &view, const std::vector<Price> &prices, bool keep_zero)
    : sum_(instructions().sum) {
    // The rows by price; rows of one price stay in their order.
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < view.rows; ++i)
        if (prices[i] != 0 || keep_zero)
            rows.push_back(i);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return prices[a] < prices[b]; });

    // Where each row goes: `order` lists the rows of the words, with gaps.
    std::vector<std::size_t> order;
    const auto fill_word = [&] { order.resize(64 * words_for(order.size()), no_row); };
    for (int sign = 0; sign < 2; ++sign) {
        std::vector<std::size_t> rare;
        for (std::size_t first = 0, last; first < rows.size(); first = last) {
            const Price price = prices[rows[first]];
            for (last = first; last < rows.size() && prices[rows[last]] == price;)
                ++last;
            if (price == 0 || (price > 0) != (sign == 1))
                continue;
            if (last - first < rows_of_a_class) {
                rare.insert(rare.end(), rows.begin() + first, rows.begin() + last);
                continue;
            }
            order.insert(order.end(), rows.begin() + first, rows.begin() + last);
            fill_word();
            common_[sign] += words_for(last - first);
            word_price_.resize(common_[0] + common_[1], price);
        }
        order.insert(order.end(), rare.begin(), rare.end());
        fill_word();
        rare_[sign] = words_for(rare.size());
        for (std::size_t row : rare)
            row_price_.push_back(prices[row]);
        row_price_.resize(64 * (rare_[0] + rare_[1]), 0);
    }
    const std::size_t before_zero = order.size();
    for (std::size_t row : rows)
        if (prices[row] == 0)
            order.push_back(row);
    fill_word();
    zero_ = (order.size() - before_zero) / 64;
    words_ = order.size() / 64;

    // Bits row by row, then gathered in the new order: two transpositions of 64 x 64 blocks.
    const std::size_t blocks = words_for(view.conditions);
    std::vector<Word> by_row(view.words * 64 * blocks);
    Word square[64];
    for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t w = 0; w < view.words; ++w) {
            for (std::size_t c = 0; c < 64; ++c)
                square[c] = 64 * block + c < view.conditions ? view[64 * block + c][w] : 0;
            transpose(square);
            for (std::size_t i = 0; i < 64; ++i)
                by_row[(64 * w + i) * blocks + block] = square[i];
        }
    bits_.resize(view.conditions * words_);
    for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t w = 0; w < words_; ++w) {
            for (std::size_t i = 0; i < 64; ++i) {
                const std::size_t row = order[64 * w + i];
                square[i] = row == no_row ? 0 : by_row[row * blocks + block];
            }
            transpose(square);
            for (std::size_t c = 0; c < 64 && 64 * block + c < view.conditions; ++c)
                bits_[(64 * block + c) * words_ + w] = square[c];
        }
}

std::size_t Table::words_after(const Word *covered) const {
    std::size_t words = 0;
    for (std::size_t w = 0; w < words_; ++w)
        words += static_cast<std::size_t>(std::popcount(covered[w]));
    return words_for(words) + 4;
}

void Table::project(const Table &parent, const Word *covered,
                    const std::vector<std::int32_t> &slots) {
    sum_ = parent.sum_;
    word_price_.clear();
    row_price_.clear();
    steps_.clear();
    words_ = 0;
    std::vector<PackStep> rare_steps;
    std::vector<Price> rare_prices;
    const auto step = [&](std::vector<PackStep> &steps, std::size_t w) {
        if (covered[w])
            steps.push_back({covered[w], static_cast<std::uint32_t>(w),
                             static_cast<std::uint8_t>(std::popcount(covered[w])), false});
    };
    std::size_t start = 0;
    const Price *word_price = parent.word_price_.data();
    const Price *row_price = parent.row_price_.data();
    for (int sign = 0; sign < 2; ++sign) {
        rare_steps.clear();
        rare_prices.clear();
        common_[sign] = 0;
        for (std::size_t first = 0, last; first < parent.common_[sign]; first = last) {
            std::size_t rows = 0;
            for (last = first; last < parent.common_[sign] && word_price[last] == word_price[first];
                 ++last)
                rows += static_cast<std::size_t>(std::popcount(covered[start + last]));
            if (rows == 0)
                continue;
            const bool is_rare = rows < rows_of_a_class;
            for (std::size_t w = first; w < last; ++w)
                step(is_rare ? rare_steps : steps_, start + w);
            if (is_rare) {
                rare_prices.insert(rare_prices.end(), rows, word_price[first]);
            } else {
                steps_.back().ends_class = true;
                common_[sign] += words_for(rows);
                word_price_.resize(word_price_.size() + words_for(rows), word_price[first]);
            }
        }
        start += parent.common_[sign];
        for (std::size_t w = 0; w < parent.rare_[sign]; ++w) {
            step(rare_steps, start + w);
            for (Word x = covered[start + w]; x; x &= x - 1)
                rare_prices.push_back(row_price[64 * w + std::countr_zero(x)]);
        }
        start += parent.rare_[sign];
        word_price += parent.common_[sign];
        row_price += 64 * parent.rare_[sign];

        rare_[sign] = words_for(rare_prices.size());
        rare_prices.resize(64 * rare_[sign], 0);
        row_price_.insert(row_price_.end(), rare_prices.begin(), rare_prices.end());
        if (!rare_steps.empty()) {
            rare_steps.back().ends_class = true;
            steps_.insert(steps_.end(), rare_steps.begin(), rare_steps.end());
        }
        words_ += common_[sign] + rare_[sign];
    }
    std::size_t zeros = 0;
    for (std::size_t w = start; w < parent.words_; ++w) {
        zeros += static_cast<std::size_t>(std::popcount(covered[w]));
        step(steps_, w);
    }
    if (zeros)
        steps_.back().ends_class = true;
    zero_ = words_for(zeros);
    words_ += zero_;

    bits_.resize(slots.size() * words_);
    const auto pack = instructions().pack;
    for (std::size_t i = 0; i < slots.size(); ++i)
        pack(parent[static_cast<std::size_t>(slots[i])], steps_.data(),
             steps_.data() + steps_.size(), bits_.data() + i * words_);
}

} // namespace faircg
