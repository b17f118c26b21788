#include "found.hpp"

#include <algorithm>
#include <set>

namespace faircg {
namespace {

struct Coverage {
    std::vector<Word> words;
    std::uint64_t rows;
};

// Coverages with a Jaccard overlap above 9/10 belong to variants of one rule.
bool is_variant(const Coverage &a, const Coverage &b) {
    if (10 * std::min(a.rows, b.rows) <= 9 * std::max(a.rows, b.rows))
        return false;
    const std::uint64_t both =
        instructions().count_both(a.words.data(), b.words.data(), a.words.size());
    return 10 * both > 9 * (a.rows + b.rows - both);
}

// Drop conditions that change nothing, the last ones first.
void shorten(const BitsView &bits, Numbers &rule, const Word *covered, std::vector<Word> &scratch) {
    for (std::size_t i = rule.size(); i-- > 0 && rule.size() > 1;) {
        Numbers rest = rule;
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

Lists choose(const BitsView &bits, std::vector<Found> found, std::size_t keep) {
    std::sort(found.begin(), found.end());
    const std::size_t most = 8 * std::min(keep, found.size()) + 64;
    if (found.size() > most)
        found.resize(most);
    std::vector<Word> scratch(bits.words);
    std::vector<Coverage> covered;
    std::vector<const Found *> chosen, variants;
    std::set<std::vector<Word>> seen;
    for (Found &item : found) {
        if (chosen.size() == keep)
            break;
        Coverage now{std::vector<Word>(bits.words), 0};
        cover(bits, item.rule.data(), item.rule.data() + item.rule.size(), now.words.data());
        if (!seen.insert(now.words).second)
            continue;
        now.rows = instructions().count_both(now.words.data(), now.words.data(), bits.words);
        shorten(bits, item.rule, now.words.data(), scratch);
        if (std::any_of(covered.begin(), covered.end(),
                        [&](const Coverage &other) { return is_variant(now, other); })) {
            variants.push_back(&item);
        } else {
            chosen.push_back(&item);
            covered.push_back(std::move(now));
        }
    }
    for (const Found *item : variants)
        if (chosen.size() < keep)
            chosen.push_back(item);
    Lists rules;
    for (const Found *item : chosen)
        rules.add(item->rule);
    return rules;
}

} // namespace faircg
