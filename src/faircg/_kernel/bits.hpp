// Packed coverage: 64 rows per word, and the few operations on it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace faircg {

using Word = std::uint64_t;

inline std::size_t words_for(std::size_t rows) { return (rows + 63) / 64; }

inline bool has_bit(const Word *words, std::size_t bit) {
    return words[bit / 64] >> (bit % 64) & 1;
}

// A matrix of packed conditions that somebody else owns.
struct BitsView {
    const Word *data;
    std::size_t conditions;
    std::size_t words;
    std::size_t rows;

    const Word *operator[](std::size_t condition) const { return data + condition * words; }
};

// AND of the conditions first..last of the view, into `out` (view.words long).
void cover(const BitsView &view, const std::int32_t *first, const std::int32_t *last, Word *out);

// The bits of some rows, one after the other, into `out` (words_for(n_rows) long).
void take(const Word *from, const std::int64_t *rows, std::size_t n_rows, Word *out);

} // namespace faircg
