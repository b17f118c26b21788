#include "bits.hpp"

namespace faircg {

void cover(const BitsView &view, const std::int32_t *first, const std::int32_t *last, Word *out) {
    std::memcpy(out, view[static_cast<std::size_t>(*first)], view.words * sizeof(Word));
    for (++first; first != last; ++first) {
        const Word *condition = view[static_cast<std::size_t>(*first)];
        for (std::size_t w = 0; w < view.words; ++w)
            out[w] &= condition[w];
    }
}

void weigh(const Word *covered, std::size_t rows, const double *weights, std::size_t columns,
           double *sums) {
    for (std::size_t c = 0; c < columns; ++c)
        sums[c] = 0.0;
    for (std::size_t w = 0; w * 64 < rows; ++w) {
        Word word = covered[w];
        if (rows - w * 64 < 64) // rows beyond the last one do not exist
            word &= (Word{1} << (rows - w * 64)) - 1;
        while (word) {
            const std::size_t row = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
            word &= word - 1;
            for (std::size_t c = 0; c < columns; ++c)
                sums[c] += weights[row * columns + c];
        }
    }
}

} // namespace faircg
