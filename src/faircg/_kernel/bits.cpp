#include "bits.hpp"

#include <algorithm>

namespace faircg {
namespace {

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

} // namespace

void cover(const BitsView &view, const std::int32_t *first, const std::int32_t *last, Word *out) {
    std::copy_n(view[static_cast<std::size_t>(*first)], view.words, out);
    for (++first; first != last; ++first) {
        const Word *condition = view[static_cast<std::size_t>(*first)];
        for (std::size_t w = 0; w < view.words; ++w)
            out[w] &= condition[w];
    }
}

void row_words(const BitsView &view, std::size_t first, bool first_is_highest, Word *out) {
    const std::size_t conditions = std::min<std::size_t>(64, view.conditions - first);
    for (std::size_t w = 0; w < view.words; ++w, out += 64) {
        std::fill_n(out, 64, Word{0});
        for (std::size_t c = 0; c < conditions; ++c)
            out[first_is_highest ? 63 - c : c] = view[first + c][w];
        transpose(out);
    }
}

// Bits row by row, then gathered in the new order: two transpositions of 64 x 64 blocks.
void RowTaker::take(const BitsView &view, std::size_t first, const std::vector<std::size_t> &rows,
                    Word *out) {
    const std::size_t conditions = std::min<std::size_t>(64, view.conditions - first);
    const std::size_t words = rows.size() / 64;
    by_row_.resize(64 * view.words);
    row_words(view, first, false, by_row_.data());
    Word square[64];
    for (std::size_t w = 0; w < words; ++w) {
        for (std::size_t i = 0; i < 64; ++i) {
            const std::size_t row = rows[64 * w + i];
            square[i] = row == no_row ? 0 : by_row_[row];
        }
        transpose(square);
        for (std::size_t c = 0; c < conditions; ++c)
            out[c * words + w] = square[c];
    }
}

} // namespace faircg
