// Rows by price, 64 to a word: where each row goes, and what its word or its row costs.
#pragma once

#include <span>
#include <vector>

#include "sums.hpp"

namespace faircg {

// The prices of the words of one sign: rows of a common price fill words of their own; the
// rows of all rare prices follow, with a price for each.
class PriceClasses {
  public:
    void clear() {
        of_word_.clear();
        of_row_.clear();
    }

    // So many rows of one price. False: they are rare, and come after all common ones.
    bool add(Price price, std::size_t rows) {
        if (rows < rows_of_a_class) {
            of_row_.insert(of_row_.end(), rows, price);
            return false;
        }
        of_word_.insert(of_word_.end(), words_for(rows), price);
        return true;
    }

    // A row that was rare before.
    void add_rare(Price price) { of_row_.push_back(price); }

    // After the last row: the rest of its word costs nothing.
    void finish() { of_row_.resize(64 * words_for(of_row_.size())); }

    std::size_t common() const { return of_word_.size(); }
    std::size_t rare() const { return of_row_.size() / 64; }
    std::size_t words() const { return common() + rare(); }
    Price of_word(std::size_t word) const { return of_word_[word]; }
    Price of_row(std::size_t row) const { return of_row_[row]; }
    Prices prices() const { return {common(), rare(), of_word_.data(), of_row_.data()}; }

  private:
    // Fewer rows of one price than this are summed row by row.
    static constexpr std::size_t rows_of_a_class = 8;

    std::vector<Price> of_word_;
    std::vector<Price> of_row_;
};

// Words in the order: negative prices (common, rare), positive prices (common, rare), zero
// prices. Rows of one price stay in their order.
class Arrangement {
  public:
    // Rows of price zero only if asked for.
    Arrangement(const std::vector<Price> &prices, bool keep_zero);

    std::vector<std::size_t> rows; // of each bit; no_row where a word has room left
    PriceClasses won, paid;

  private:
    void add(std::span<const std::size_t> sorted, const std::vector<Price> &prices,
             PriceClasses &classes);
    void append(std::span<const std::size_t> more);
};

} // namespace faircg
