#include "classes.hpp"

#include <algorithm>
#include <numeric>

namespace faircg {

Arrangement::Arrangement(const std::vector<Price> &prices, bool keep_zero) {
    std::vector<std::size_t> sorted(prices.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::size_t a, std::size_t b) { return prices[a] < prices[b]; });
    const auto zero = std::partition_point(sorted.begin(), sorted.end(),
                                           [&](std::size_t row) { return prices[row] < 0; });
    const auto positive =
        std::partition_point(zero, sorted.end(), [&](std::size_t row) { return prices[row] == 0; });
    add({sorted.begin(), zero}, prices, won);
    add({positive, sorted.end()}, prices, paid);
    if (keep_zero)
        append({zero, positive});
}

void Arrangement::add(std::span<const std::size_t> sorted, const std::vector<Price> &prices,
                      PriceClasses &classes) {
    std::vector<std::size_t> rare;
    for (std::size_t first = 0, last; first < sorted.size(); first = last) {
        const Price price = prices[sorted[first]];
        for (last = first; last < sorted.size() && prices[sorted[last]] == price;)
            ++last;
        const auto same = sorted.subspan(first, last - first);
        if (classes.add(price, same.size()))
            append(same);
        else
            rare.insert(rare.end(), same.begin(), same.end());
    }
    append(rare);
    classes.finish();
}

void Arrangement::append(std::span<const std::size_t> more) {
    rows.insert(rows.end(), more.begin(), more.end());
    rows.resize(64 * words_for(rows.size()), no_row);
}

} // namespace faircg
