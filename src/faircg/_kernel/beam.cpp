#include "beam.hpp"

#include <algorithm>
#include <utility>

namespace faircg {
namespace {

constexpr std::size_t beam_width = 32;

} // namespace

void Beam::run(const std::vector<Candidate> &conditions) {
    std::vector<Item> beam;
    for (const Candidate &c : conditions)
        beam.push_back({c.won + c.paid, c.paid, {c.id}});
    for (std::size_t size = 2; size <= problem_.max_conditions; ++size) {
        select(beam);
        std::vector<Item> longer;
        for (const Item &item : beam)
            if (!extend(item, conditions, longer))
                return;
        if (longer.empty())
            return;
        beam = std::move(longer);
    }
}

// The best, without copies, and not too many that start with the same condition.
void Beam::select(std::vector<Item> &beam) {
    std::stable_sort(beam.begin(), beam.end(), [](const Item &a, const Item &b) {
        return a.sum != b.sum ? a.sum < b.sum : a.paid < b.paid;
    });
    std::vector<Item> selected;
    for (Item &item : beam) {
        if (selected.size() == beam_width)
            break;
        if (!selected.empty() && selected.back().sum == item.sum &&
            selected.back().paid == item.paid)
            continue;
        const auto same_start =
            std::count_if(selected.begin(), selected.end(), [&](const Item &other) {
                return other.rule.front() == item.rule.front();
            });
        if (static_cast<std::size_t>(same_start) < beam_width / 4)
            selected.push_back(std::move(item));
    }
    beam = std::move(selected);
}

// Add each condition that removes more than it costs. False: stopped.
bool Beam::extend(const Item &item, const std::vector<Candidate> &conditions,
                  std::vector<Item> &longer) {
    const Table &table = problem_.table;
    const auto family = [&](std::int32_t id) {
        return problem_.candidates[static_cast<std::size_t>(id)].family;
    };
    covered_.assign(table.words(), ~Word{0});
    for (const std::int32_t id : item.rule)
        for (std::size_t w = 0; w < table.words(); ++w)
            covered_[w] &= table[id][w];
    const Price price = problem_.price_of(item.rule.size() + 1);
    for (const Candidate &c : conditions) {
        if (std::any_of(item.rule.begin(), item.rule.end(),
                        [&](std::int32_t id) { return family(id) == c.family; }))
            continue;
        if (ticker_.tick(table.words()))
            return false;
        ++nodes_;
        const Price paid = table.paid(covered_.data(), table[c.id]);
        if (item.paid - paid <= problem_.condition_price)
            continue;
        const Price sum = paid + table.won(covered_.data(), table[c.id]);
        policy_.meet(sum + price, paid, item.rule, c.id);
        longer.push_back({sum, paid, item.rule});
        longer.back().rule.push_back(c.id);
    }
    return true;
}

} // namespace faircg
