// Every rule up to a cutoff. Unlike the search for the best rule, nothing is skipped because
// something shorter or cheaper exists: a rule set may need exactly the rule that is not best.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "tree.hpp"

namespace faircg {
namespace {

struct Setting {
    Price condition_price;
    Price limit;
    std::size_t max_conditions;
    std::size_t most;

    Price price_of(std::size_t conditions) const {
        return condition_price * static_cast<Price>(1 + conditions);
    }
};

class Lister {
  public:
    Lister(const Setting &setting, Clock &clock, std::atomic<std::size_t> &listed, bool is_caller)
        : setting_(setting), clock_(clock), listed_(listed), ticker_(clock, is_caller) {}

    // List the rules below child `index` of the root, whose candidates are sorted.
    RuleList list(const Table &table, const std::vector<Candidate> &sorted, std::size_t index) {
        rules_ = RuleList();
        rule_.clear();
        if (setting_.max_conditions > 1)
            open_child(table, nullptr, sorted, index);
        return std::move(rules_);
    }

    // List the candidates as additions to the current rule and keep those that a longer rule
    // may contain. False: stopped.
    bool weigh(const Table &table, const Word *covered, Price paid,
               std::vector<Candidate> &candidates) {
        const std::size_t size = rule_.size() + 1;
        std::size_t kept = 0;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            Candidate candidate = candidates[c];
            const Word *bits = table[static_cast<std::size_t>(candidate.slot)];
            const Word *both = covered ? covered : bits;
            if (ticker_.tick(table.words()))
                return false;
            candidate.won = table.won(both, bits);
            if (candidate.won + setting_.price_of(size) > setting_.limit)
                continue;
            candidate.paid = table.paid(both, bits);
            if (candidate.won == 0 && candidate.paid == 0 && !table.meets_zero(both, bits))
                continue;
            candidate.removed = paid - candidate.paid;
            if (candidate.won + candidate.paid + setting_.price_of(size) <= setting_.limit &&
                !add(candidate.id))
                return false;
            candidates[kept++] = candidate;
        }
        candidates.resize(size == setting_.max_conditions ? 0 : kept);
        return true;
    }

    // Drop candidates that no longer rule within the limit can contain, and sort the others.
    void filter(std::vector<Candidate> &candidates, Removals &removals) const {
        const std::size_t size = rule_.size() + 1;
        const std::size_t more = setting_.max_conditions - size;
        for (std::size_t before = candidates.size() + 1; candidates.size() < before;) {
            before = candidates.size();
            removals.start(more);
            for (const Candidate &c : candidates)
                removals.add(c.family, c.removed);
            std::erase_if(candidates, [&](const Candidate &c) {
                return c.won + setting_.price_of(size) +
                           removals.remains(c.paid, setting_.condition_price, 1, more, c.family) >
                       setting_.limit;
            });
        }
        sort_by_gain(candidates);
    }

    RuleList take() { return std::move(rules_); }

  private:
    bool add(std::int32_t condition) {
        if (listed_.fetch_add(1, std::memory_order_relaxed) >= setting_.most) {
            clock_.stop();
            return false;
        }
        std::vector<std::int32_t> rule = rule_;
        rule.push_back(condition);
        std::sort(rule.begin(), rule.end());
        rules_.add(rule);
        return true;
    }

    // The rules that add sorted[index], and then some of the candidates before it.
    bool open_child(const Table &table, const Word *covered, const std::vector<Candidate> &sorted,
                    std::size_t index) {
        const Candidate &child = sorted[index];
        Level &below = levels_[rule_.size() + 1];
        const std::size_t size = rule_.size() + 1;
        const std::size_t more = setting_.max_conditions - size;
        Removals &removals = below.removals;
        removals.start(more);
        for (std::size_t k = 0; k < index; ++k)
            removals.add(sorted[k].family, sorted[k].removed);
        below.candidates.clear();
        for (std::size_t k = 0; k < index; ++k) {
            const Candidate &c = sorted[k];
            if (c.family == child.family)
                continue;
            const Price left = std::max<Price>(0, child.paid - c.removed);
            if (child.won + setting_.price_of(size + 1) +
                    removals.remains(left, setting_.condition_price, 0, more - 1, c.family,
                                     child.family) <=
                setting_.limit)
                below.candidates.push_back(c);
        }
        if (below.candidates.empty())
            return true;
        const Word *bits = below.both(table, covered, table[static_cast<std::size_t>(child.slot)]);
        rule_.push_back(child.id);
        const bool finished = expand(table, bits, child.paid);
        rule_.pop_back();
        return finished;
    }

    bool expand(const Table &table, const Word *covered, Price paid) {
        Level &here = levels_[rule_.size()];
        std::vector<Candidate> &candidates = here.candidates;
        if (!weigh(table, covered, paid, candidates))
            return false;
        if (candidates.size() < 2)
            return true;
        filter(candidates, here.removals);
        const Table *now = &table;
        if (here.project(table, covered, candidates.size() * candidates.size() / 2)) {
            ticker_.tick(8 * candidates.size() * table.words());
            now = &here.table;
            covered = nullptr;
        }
        for (std::size_t i = 1; i < candidates.size(); ++i)
            if (!open_child(*now, covered, candidates, i))
                return false;
        return true;
    }

    const Setting &setting_;
    Clock &clock_;
    std::atomic<std::size_t> &listed_;
    Ticker ticker_;
    RuleList rules_;
    std::vector<std::int32_t> rule_;
    Levels levels_;
};

} // namespace

All enumerate_below(const Pricing &pricing, std::size_t most) {
    const BitsView &bits = pricing.bits;
    double gains = 0, total = 0;
    for (std::size_t i = 0; i < bits.rows; ++i) {
        total += std::abs(pricing.prices[i]);
        gains += std::max(0.0, -pricing.prices[i]);
    }
    All result{{}, true, false};
    const double price = pricing.condition_price;
    const double limit = pricing.cutoff + 1e-12 * (total + price); // sums are rounded
    if (2 * price - gains > limit || bits.conditions == 0)
        return result;
    std::size_t deepest = most_conditions(pricing);
    if (price > 0) // more conditions than this cost more than all gains
        deepest = static_cast<std::size_t>(
            std::min(static_cast<double>(deepest), std::floor((limit + gains) / price)));
    const double largest = total + price * (1.0 + static_cast<double>(deepest));
    if (!std::isfinite(2 * largest))
        throw std::invalid_argument("condition_price is too large");

    Clock clock(pricing.seconds, pricing.stop, pricing.poll);
    const Scale scale = scale_for(2 * largest);
    std::vector<Price> prices(bits.rows);
    Price all_paid = 0;
    for (std::size_t i = 0; i < bits.rows; ++i) {
        prices[i] = scale(pricing.prices[i]);
        all_paid += std::max<Price>(0, prices[i]);
    }
    const Setting setting{scale(price), scale(std::min(limit, 1.5 * largest)) + 1, deepest, most};
    const Table table(bits, prices, true);

    std::atomic<std::size_t> listed{0};
    Workers workers(std::min(pricing.threads, bits.conditions));
    std::vector<Lister> listers;
    for (std::size_t w = 0; w < workers.size(); ++w)
        listers.emplace_back(setting, clock, listed, w == 0);
    std::vector<Candidate> candidates = all_candidates(pricing);
    std::vector<RuleList> lists;
    if (listers[0].weigh(table, nullptr, all_paid, candidates) && !candidates.empty()) {
        lists.push_back(listers[0].take());
        Removals removals;
        listers[0].filter(candidates, removals);
        lists.resize(candidates.size() + 1);
        workers.run(0, candidates.size(), [&](std::size_t i, std::size_t w) {
            if (!clock.is_over())
                lists[i + 1] = listers[w].list(table, candidates, i);
        });
    } else {
        lists.push_back(listers[0].take());
    }
    result.too_many = listed > most;
    result.is_complete = !clock.is_over();
    if (result.too_many)
        return result; // which rules were first is a matter of chance: none is returned
    for (RuleList &list : lists) {
        const auto offset = static_cast<std::int64_t>(result.rules.conditions.size());
        result.rules.conditions.insert(result.rules.conditions.end(), list.conditions.begin(),
                                       list.conditions.end());
        for (std::size_t k = 1; k < list.starts.size(); ++k)
            result.rules.starts.push_back(offset + list.starts[k]);
        list = RuleList();
    }
    return result;
}

} // namespace faircg
