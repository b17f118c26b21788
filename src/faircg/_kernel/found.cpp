#include "found.hpp"

#include <algorithm>
#include <map>

namespace faircg {
namespace {

// Coverages with a Jaccard overlap above 9/10 belong to variants of one rule.
bool is_variant(const Word *a, const Word *b, std::size_t words) {
    std::uint64_t both = 0, either = 0;
    for (std::size_t w = 0; w < words; ++w) {
        both += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
        either += static_cast<std::uint64_t>(std::popcount(a[w] | b[w]));
    }
    return 10 * both > 9 * either;
}

// Drop conditions that change nothing, the last ones first.
void shorten(const BitsView &bits, std::vector<std::int32_t> &rule, const Word *covered,
             std::vector<Word> &scratch) {
    for (std::size_t i = rule.size(); i-- > 0 && rule.size() > 1;) {
        std::vector<std::int32_t> rest = rule;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        cover(bits, rest.data(), rest.data() + rest.size(), scratch.data());
        if (std::equal(scratch.begin(), scratch.end(), covered))
            rule = std::move(rest);
    }
}

} // namespace

bool Found::operator<(const Found &other) const {
    if (cost != other.cost)
        return cost < other.cost;
    if (rule.size() != other.rule.size())
        return rule.size() < other.rule.size();
    return rule < other.rule;
}

void Shelf::offer(Found found) {
    const auto same = std::find_if(items_.begin(), items_.end(), [&](const Found &item) {
        return item.cost == found.cost && item.paid == found.paid;
    });
    if (same != items_.end()) {
        if (found < *same)
            *same = std::move(found);
    } else if (items_.size() < room_) {
        items_.push_back(std::move(found));
    } else {
        const auto last = std::max_element(items_.begin(), items_.end());
        if (!(found < *last))
            return;
        *last = std::move(found);
    }
    if (items_.size() == room_)
        worst_ = std::max_element(items_.begin(), items_.end())->cost;
}

RuleList choose(const BitsView &bits, std::vector<Found> found, std::size_t keep) {
    std::sort(found.begin(), found.end());
    const std::size_t most = 8 * std::min(keep, found.size()) + 64;
    if (found.size() > most)
        found.resize(most);
    std::vector<Word> scratch(bits.words);
    std::vector<std::vector<Word>> covered;
    std::vector<const Found *> chosen, variants;
    std::map<std::vector<Word>, bool> seen;
    std::vector<Word> now(bits.words);
    for (Found &item : found) {
        if (chosen.size() == keep)
            break;
        cover(bits, item.rule.data(), item.rule.data() + item.rule.size(), now.data());
        if (!seen.emplace(now, true).second)
            continue;
        shorten(bits, item.rule, now.data(), scratch);
        const bool variant = std::any_of(covered.begin(), covered.end(), [&](const auto &other) {
            return is_variant(now.data(), other.data(), bits.words);
        });
        if (variant) {
            variants.push_back(&item);
        } else {
            chosen.push_back(&item);
            covered.push_back(now);
        }
    }
    for (const Found *item : variants)
        if (chosen.size() < keep)
            chosen.push_back(item);
    RuleList rules;
    for (const Found *item : chosen)
        rules.add(item->rule);
    return rules;
}

} // namespace faircg
