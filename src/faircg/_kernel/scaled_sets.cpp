#include "scaled_sets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace faircg {
namespace {

constexpr std::size_t first_cells = 448; // weighed first: about one cache line

std::vector<std::int32_t> usable_rules(const RuleSetProblem &problem) {
    std::vector<std::int32_t> usable;
    for (std::size_t k = 0; k < problem.covers.conditions; ++k)
        if (problem.complexities[k] <= problem.max_complexity)
            usable.push_back(static_cast<std::int32_t>(k));
    return usable;
}

double most_rules_in_a_set(const RuleSetProblem &problem, const std::vector<std::int32_t> &usable) {
    std::vector<std::int64_t> complexities;
    for (const std::int32_t k : usable)
        complexities.push_back(problem.complexities[k]);
    std::sort(complexities.begin(), complexities.end());
    std::size_t most = 0;
    for (std::int64_t room = problem.max_complexity;
         most < complexities.size() && complexities[most] <= room; ++most)
        room -= complexities[most];
    return static_cast<double>(most);
}

// Rounds down; prices above the limit all say the same: never.
class Rounding {
  public:
    Rounding(const RuleSetProblem &problem, const std::vector<std::int32_t> &usable,
             double budget) {
        const std::size_t cells = problem.covers.rows;
        const auto room = static_cast<double>(problem.max_complexity);
        const double most_taken = most_rules_in_a_set(problem, usable);
        if (most_taken > most_rules)
            throw std::invalid_argument("a rule set can have too many rules");
        double all_costs = 0;
        for (const std::int32_t k : usable)
            all_costs += problem.costs[k];
        const double all_again = std::accumulate(problem.again, problem.again + cells, 0.0);
        const double all_missed = std::accumulate(problem.missed, problem.missed + cells, 0.0);
        const double all_linked = std::accumulate(problem.linked, problem.linked + cells, 0.0);
        // A cell is covered by each rule, touched and marked: all but the first cost.
        const double all = all_costs + all_missed + all_again * (most_taken + 1) +
                           (problem.spare_price + all_linked) * room;
        limit_ = std::min(budget, 1.001 * all); // the sums are rounded
        double largest = 16 * clip(1e300) + 4 * clip(problem.spare_price) * room;
        for (std::size_t i = 0; i < cells; ++i)
            largest += 4 * clip(problem.again[i]) + (most_taken + 4) * clip(problem.missed[i]) +
                       8 * clip(problem.linked[i]) * room;
        exponent_ = std::min(scale_for(largest).exponent, 1000);
    }

    Price operator()(double price) const {
        return static_cast<Price>(std::floor(std::ldexp(clip(price), exponent_)));
    }
    std::vector<Price> operator()(const double *prices, std::size_t size) const {
        std::vector<Price> rounded(size);
        std::transform(prices, prices + size, rounded.begin(), *this);
        return rounded;
    }
    Price limit() const { return static_cast<Price>(std::ceil(std::ldexp(limit_, exponent_))); }

  private:
    double clip(double price) const {
        return limit_ > 0 ? std::min(price, 2 * limit_) : price > 0 ? 1.0 : 0.0;
    }

    double limit_;
    int exponent_;
};

} // namespace

ScaledSets::ScaledSets(const RuleSetProblem &problem, double budget, Ticker &ticker)
    : max_complexity(problem.max_complexity), usable(usable_rules(problem)) {
    const BitsView &covers = problem.covers;
    const Rounding rounded(problem, usable, budget);
    limit = rounded.limit();
    spare_price = rounded(problem.spare_price);
    for (const std::int32_t k : usable)
        costs.push_back(rounded(problem.costs[k]));
    arrange_again(problem, rounded(problem.again, covers.rows), ticker);
    arrange_missed(covers, rounded(problem.missed, covers.rows), ticker);
    linked = Table(covers, Arrangement(rounded(problem.linked, covers.rows), false), ticker);
}

// First come the cells in which rules overlap most, to be done with most pairs.
void ScaledSets::arrange_again(const RuleSetProblem &problem, const std::vector<Price> &again,
                               Ticker &ticker) {
    const BitsView &covers = problem.covers;
    std::vector<double> share(covers.rows);
    for (const std::int32_t rule : usable) {
        if (ticker.tick(16 * covers.words))
            break;
        const Word *words = covers[static_cast<std::size_t>(rule)];
        for (std::size_t w = 0; w < covers.words; ++w)
            for (Word x = words[w]; x; x &= x - 1)
                share[64 * w + static_cast<std::size_t>(std::countr_zero(x))] += 1;
    }
    for (std::size_t i = 0; i < covers.rows; ++i)
        share[i] *= share[i] * static_cast<double>(again[i]);
    std::vector<std::size_t> cells(covers.rows);
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    std::stable_sort(cells.begin(), cells.end(),
                     [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
    std::vector<Price> prices_first(covers.rows), prices_rest = again;
    for (std::size_t i = 0; i < std::min(cells.size(), first_cells); ++i)
        std::swap(prices_first[cells[i]], prices_rest[cells[i]]);
    const Arrangement of_first(prices_first, false), of_rest(prices_rest, false);
    first = Table(covers, of_first, ticker);
    rest = Table(covers, of_rest, ticker);
    arrange_marks(problem, of_first, of_rest, ticker);
}

void ScaledSets::arrange_marks(const RuleSetProblem &problem, const Arrangement &of_first,
                               const Arrangement &of_rest, Ticker &ticker) {
    const BitsView &touches = problem.touches;
    has_touches = std::any_of(touches.data, touches.data + touches.conditions * touches.words,
                              [](Word word) { return word != 0; });
    if (has_touches) {
        first_touches = Table(touches, of_first, ticker);
        rest_touches = Table(touches, of_rest, ticker);
    }
    const BitsView start{problem.marked, 1, touches.words, touches.rows};
    const Table marked_first(start, of_first, ticker), marked_rest(start, of_rest, ticker);
    marked.assign(marked_first[0], marked_first[0] + marked_first.words());
    marked.insert(marked.end(), marked_rest[0], marked_rest[0] + marked_rest.words());
}

void ScaledSets::arrange_missed(const BitsView &covers, const std::vector<Price> &prices,
                                Ticker &ticker) {
    const Arrangement arrangement(prices, false);
    missed = Table(covers, arrangement, ticker);
    for (std::size_t bit = 0; bit < arrangement.rows.size(); ++bit)
        if (const std::size_t cell = arrangement.rows[bit]; cell != no_row)
            heavy.push_back({bit, prices[cell]});
    std::stable_sort(heavy.begin(), heavy.end(),
                     [](const HeavyCell &a, const HeavyCell &b) { return a.missed > b.missed; });
}

} // namespace faircg
