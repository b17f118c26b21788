#include "bits.hpp"

#include <algorithm>

namespace faircg {

void cover(const BitsView &view, const std::int32_t *first, const std::int32_t *last, Word *out) {
    std::copy_n(view[static_cast<std::size_t>(*first)], view.words, out);
    for (++first; first != last; ++first) {
        const Word *condition = view[static_cast<std::size_t>(*first)];
        for (std::size_t w = 0; w < view.words; ++w)
            out[w] &= condition[w];
    }
}

void take(const Word *from, const std::int64_t *rows, std::size_t n_rows, Word *out) {
    for (std::size_t start = 0; start < n_rows; start += 64) {
        const std::size_t many = std::min<std::size_t>(64, n_rows - start);
        Word word = 0;
        for (std::size_t bit = 0; bit < many; ++bit)
            word |= static_cast<Word>(has_bit(from, static_cast<std::size_t>(rows[start + bit])))
                    << bit;
        *out++ = word;
    }
}

} // namespace faircg
