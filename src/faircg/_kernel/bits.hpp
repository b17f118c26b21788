// Packed coverage: 64 rows per word, and the few operations on it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// A word of each row (64 * view.words of them) into `out`: which of the 64 conditions from
// `first` on it meets, the first one at the lowest bit or at the highest.
void row_words(const BitsView &view, std::size_t first, bool first_is_highest, Word *out);

constexpr std::size_t no_row = static_cast<std::size_t>(-1);

// Takes some rows of conditions, 64 conditions at a time.
class RowTaker {
  public:
    // The rows (64 for each word, some of them no_row) of condition `first` and of those after
    // it, into `out`: one condition after the other.
    void take(const BitsView &view, std::size_t first, const std::vector<std::size_t> &rows,
              Word *out);

  private:
    std::vector<Word> by_row_;
};

} // namespace faircg
