// The inner loops of the kernel, in several instruction sets.
//
// Prices are integers (fixed point), so sums do not depend on their order: every instruction
// set, and every number of threads, gives the same search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace faircg {

using Price = std::int64_t;

// Words of one sign: first `common` words whose rows all share the word's price, then `rare`
// words whose rows have a price each.
struct Prices {
    std::size_t common;
    std::size_t rare;
    const Price *of_word; // common
    const Price *of_row;  // rare * 64
};

// One step of packing: take the bits of `mask` from source word `word`.
struct PackStep {
    Word mask;
    std::uint32_t word;
    std::uint8_t count; // bits in mask
    bool ends_class;    // the next class starts in a new word
};

struct Instructions {
    const char *name;
    // Sum of the prices of the rows in both a and b.
    Price (*sum)(const Word *a, const Word *b, const Prices &prices);
    // Copy the bits that the steps select, side by side.
    void (*pack)(const Word *source, const PackStep *first, const PackStep *last, Word *out);
    // Sum of the weights (64 per word) of the rows in a, in floating point: eight running
    // sums, row i goes to sum i % 8, so that the rounding is the same everywhere.
    double (*weigh)(const Word *a, std::size_t words, const double *weights);
    // How many rows are in both a and b.
    std::uint64_t (*count_both)(const Word *a, const Word *b, std::size_t words);
};

// What this machine can do, best first.
std::vector<const Instructions *> available_instructions();
// What is used: the best, unless told otherwise.
const Instructions &instructions();
void use_instructions(const Instructions &instructions);

} // namespace faircg
