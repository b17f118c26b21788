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

} // namespace faircg
