// The rule of least reduced cost by branch and bound; docs/exact-search.md tells how and why.
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "found.hpp"
#include "tree.hpp"

namespace faircg {
namespace {

constexpr std::size_t beam_width = 32;

// What all parts of one search share, fixed before the first task starts.
struct Setting {
    Price condition_price;
    Price cutoff;
    std::size_t max_conditions;

    Price price_of(std::size_t conditions) const {
        return condition_price * static_cast<Price>(1 + conditions);
    }
};

// One worker's depth-first search below a rule.
class Explorer {
  public:
    Explorer(const Setting &setting, Clock &clock, bool is_caller)
        : setting_(setting), ticker_(clock, is_caller) {}

    // Forget the last search; only rules below `best` matter to the next.
    void start(Price best, std::size_t room) {
        best_ = best;
        open_ = Removals::none;
        nodes_ = 0;
        shelf_ = Shelf(room);
        rule_.clear();
    }

    // Search below the child `index` of the root, whose candidates are sorted.
    void explore(const Table &table, const std::vector<Candidate> &sorted, std::size_t index,
                 Price bound, Price best, std::size_t room) {
        start(best, room);
        Removals &removals = levels_[0].removals;
        removals.start(setting_.max_conditions - 1);
        for (std::size_t k = 0; k < index; ++k)
            removals.add(sorted[k].family, sorted[k].removed);
        open_child(table, nullptr, sorted, index, bound);
    }

    Price best() const { return best_; }
    void set_best(Price best) { best_ = best; }
    Price open() const { return open_; }
    std::uint64_t nodes() const { return nodes_; }
    std::vector<Found> take() { return shelf_.take(); }

    // Weigh the candidates as additions to a rule that covers `covered` and pays `paid`; keep
    // those that may still help, best gain first. False: stopped.
    bool weigh(const Table &table, const Word *covered, Price paid,
               std::vector<Candidate> &candidates) {
        const std::size_t size = rule_.size() + 1;
        const bool is_last = size == setting_.max_conditions;
        std::size_t kept = 0;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            Candidate candidate = candidates[c];
            const Word *bits = table[static_cast<std::size_t>(candidate.slot)];
            const Word *both = covered ? covered : bits;
            if (ticker_.tick(table.words()))
                return false;
            ++nodes_;
            candidate.won = table.won(both, bits);
            if (candidate.won + setting_.price_of(size) >= best_)
                continue;
            candidate.paid = table.paid(both, bits);
            candidate.removed = paid - candidate.paid;
            const Price cost = candidate.won + candidate.paid + setting_.price_of(size);
            if (cost < setting_.cutoff && shelf_.wants(cost))
                offer(cost, candidate);
            best_ = std::min(best_, cost);
            if (!is_last && candidate.removed > setting_.condition_price)
                candidates[kept++] = candidate;
        }
        candidates.resize(kept);
        return true;
    }

    // Drop candidates that no rule below the best can contain, and sort the others.
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
                           removals.remains(c.paid, setting_.condition_price, 1, more, c.family) >=
                       best_;
            });
        }
        sort_by_gain(candidates);
    }

    // Bound of each child when it may add only the candidates before it.
    void bound(const std::vector<Candidate> &sorted, Removals &removals,
               std::vector<Price> &bounds) const {
        const std::size_t size = rule_.size() + 1;
        const std::size_t more = setting_.max_conditions - size;
        removals.start(more);
        bounds.resize(sorted.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const Candidate &c = sorted[i];
            bounds[i] = c.won + setting_.price_of(size) +
                        removals.remains(c.paid, setting_.condition_price, 1, more, c.family);
            removals.add(c.family, c.removed);
        }
    }

  private:
    void offer(Price cost, const Candidate &candidate) {
        Found found{cost, candidate.paid, rule_};
        found.rule.push_back(candidate.id);
        std::sort(found.rule.begin(), found.rule.end());
        shelf_.offer(std::move(found));
    }

    // Search the rules that add sorted[index], and then some of the candidates before it.
    // `covered` is null when the table holds only rows of the current rule.
    // The removals of this level must hold the candidates before the index. False: stopped.
    bool open_child(const Table &table, const Word *covered, const std::vector<Candidate> &sorted,
                    std::size_t index, Price bound) {
        const Candidate &child = sorted[index];
        const Removals &removals = levels_[rule_.size()].removals;
        Level &below = levels_[rule_.size() + 1];
        const std::size_t size = rule_.size() + 2; // conditions of the grandchildren
        const std::size_t more = setting_.max_conditions - size;
        below.candidates.clear();
        for (std::size_t k = 0; k < index; ++k) {
            const Candidate &c = sorted[k];
            if (c.family == child.family)
                continue;
            const Price left = std::max<Price>(0, child.paid - c.removed);
            if (child.won + setting_.price_of(size) +
                    removals.remains(left, setting_.condition_price, 0, more, c.family,
                                     child.family) <
                best_)
                below.candidates.push_back(c);
        }
        if (below.candidates.empty())
            return true;
        const Word *bits = below.both(table, covered, table[static_cast<std::size_t>(child.slot)]);
        rule_.push_back(child.id);
        const bool finished = expand(table, bits, child.paid, bound);
        rule_.pop_back();
        return finished;
    }

    // Search below the current rule with the candidates of its level.
    bool expand(const Table &table, const Word *covered, Price paid, Price bound_here) {
        Level &here = levels_[rule_.size()];
        std::vector<Candidate> &candidates = here.candidates;
        if (!weigh(table, covered, paid, candidates)) {
            open_ = std::min(open_, bound_here);
            return false;
        }
        if (candidates.size() < 2)
            return true;
        filter(candidates, here.removals);
        drop_equal(table, covered, candidates);
        bound(candidates, here.removals, here.bounds);

        const Table *now = &table;
        std::size_t next = 0; // rules to weigh one level below
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (here.bounds[i] < best_)
                next += i;
        if (next == 0)
            return true;
        if (here.project(table, covered, next)) {
            ticker_.tick(8 * candidates.size() * table.words());
            now = &here.table;
            covered = nullptr;
        }
        here.removals.start(setting_.max_conditions - rule_.size() - 1);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (here.bounds[i] < best_ &&
                !open_child(*now, covered, candidates, i, here.bounds[i])) {
                for (++i; i < candidates.size(); ++i)
                    open_ = std::min(open_, here.bounds[i]);
                return false;
            }
            here.removals.add(candidates[i].family, candidates[i].removed);
        }
        return true;
    }

    // Of candidates that cover the same rows one is enough. They are sorted.
    void drop_equal(const Table &table, const Word *covered, std::vector<Candidate> &candidates) {
        const auto equal = [&](const Candidate &a, const Candidate &b) {
            if (a.won != b.won || a.paid != b.paid)
                return false;
            const Word *x = table[static_cast<std::size_t>(a.slot)];
            const Word *y = table[static_cast<std::size_t>(b.slot)];
            for (std::size_t w = 0; w < table.words(); ++w)
                if ((x[w] ^ y[w]) & covered[w])
                    return false;
            return true;
        };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), equal),
                         candidates.end());
    }

    const Setting &setting_;
    Ticker ticker_;
    Price best_ = 0;
    Price open_ = Removals::none;
    std::uint64_t nodes_ = 0;
    Shelf shelf_;
    std::vector<std::int32_t> rule_;
    Levels levels_;
};

// A few promising rules, extended one condition at a time, so that the exact search starts
// with a good rule in hand. False: stopped.
class Beam {
  public:
    Beam(const Setting &setting, const Table &table, Ticker &ticker, Shelf &shelf)
        : setting_(setting), table_(table), ticker_(ticker), shelf_(shelf) {}

    bool run(const std::vector<Candidate> &conditions, Price &best, std::uint64_t &nodes) {
        std::vector<Item> beam;
        for (const Candidate &c : conditions)
            beam.push_back({c.won + c.paid, c.paid, {&c}});
        for (std::size_t size = 2; size <= setting_.max_conditions; ++size) {
            select(beam);
            std::vector<Item> longer;
            for (const Item &item : beam) {
                if (!extend(item, conditions, longer, best, nodes))
                    return false;
            }
            if (longer.empty())
                break;
            beam = std::move(longer);
        }
        return true;
    }

  private:
    struct Item {
        Price sum;
        Price paid;
        std::vector<const Candidate *> rule;
    };

    // The best, without copies, and not too many that start with the same condition.
    void select(std::vector<Item> &beam) const {
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

    bool extend(const Item &item, const std::vector<Candidate> &conditions,
                std::vector<Item> &longer, Price &best, std::uint64_t &nodes) {
        const std::size_t words = table_.words();
        covered_.assign(words, ~Word{0});
        for (const Candidate *c : item.rule)
            for (std::size_t w = 0; w < words; ++w)
                covered_[w] &= table_[static_cast<std::size_t>(c->slot)][w];
        for (const Candidate &c : conditions) {
            if (std::any_of(item.rule.begin(), item.rule.end(),
                            [&](const Candidate *other) { return other->family == c.family; }))
                continue;
            if (ticker_.tick(words))
                return false;
            ++nodes;
            const Word *bits = table_[static_cast<std::size_t>(c.slot)];
            const Price paid = table_.paid(covered_.data(), bits);
            if (item.paid - paid <= setting_.condition_price)
                continue;
            const Price sum = paid + table_.won(covered_.data(), bits);
            Item next{sum, paid, item.rule};
            next.rule.push_back(&c);
            const Price cost = sum + setting_.price_of(next.rule.size());
            best = std::min(best, cost);
            if (cost < setting_.cutoff && shelf_.wants(cost)) {
                Found found{cost, paid, {}};
                for (const Candidate *used : next.rule)
                    found.rule.push_back(used->id);
                std::sort(found.rule.begin(), found.rule.end());
                shelf_.offer(std::move(found));
            }
            longer.push_back(std::move(next));
        }
        return true;
    }

    const Setting &setting_;
    const Table &table_;
    Ticker &ticker_;
    Shelf &shelf_;
    std::vector<Word> covered_;
};

struct Task {
    std::size_t index; // of the child in the sorted candidates of the root
    Price bound;
};

} // namespace

void RuleList::add(const std::vector<std::int32_t> &rule) {
    conditions.insert(conditions.end(), rule.begin(), rule.end());
    starts.push_back(static_cast<std::int64_t>(conditions.size()));
}

Best search(const Pricing &pricing, std::size_t keep) {
    const BitsView &bits = pricing.bits;
    double gains = 0, total = 0;
    for (std::size_t i = 0; i < bits.rows; ++i) {
        total += std::abs(pricing.prices[i]);
        gains += std::max(0.0, -pricing.prices[i]);
    }
    Best result{{}, true, pricing.cutoff, 0};
    // The cheapest conceivable rule covers all gains with one condition.
    if (2 * pricing.condition_price - gains >= pricing.cutoff || bits.conditions == 0)
        return result;

    Clock clock(pricing.seconds, pricing.stop, pricing.poll);
    const std::size_t deepest = most_conditions(pricing);
    const double largest = total + pricing.condition_price * (1.0 + static_cast<double>(deepest));
    if (!std::isfinite(largest))
        throw std::invalid_argument("prices are too large");
    const Scale scale = scale_for(largest);
    std::vector<Price> prices(bits.rows);
    Price all_paid = 0, all_won = 0;
    for (std::size_t i = 0; i < bits.rows; ++i) {
        prices[i] = scale(pricing.prices[i]);
        (prices[i] > 0 ? all_paid : all_won) += prices[i];
    }
    const Price cutoff = pricing.cutoff < -total ? -(Price{1} << 61) : scale(pricing.cutoff);
    const Setting setting{scale(pricing.condition_price), cutoff, deepest};
    const Table table(bits, prices, false);

    // The root: all rules of one condition.
    Explorer root(setting, clock, true);
    std::vector<Candidate> candidates = all_candidates(pricing);
    const std::size_t room = 4 * std::min<std::size_t>(keep, 1 << 20) + 4;
    root.start(cutoff, room);
    const Price nothing_known = all_won + setting.price_of(1);
    Price best = cutoff, open = Removals::none;
    std::vector<Found> found;
    std::vector<Task> tasks;
    if (!root.weigh(table, nullptr, all_paid, candidates)) {
        open = nothing_known;
    } else if (deepest > 1) {
        best = root.best();
        Ticker ticker(clock, true);
        Shelf shelf(room);
        std::uint64_t nodes = 0;
        Beam(setting, table, ticker, shelf).run(candidates, best, nodes);
        found = shelf.take();
        result.nodes += nodes;
        root.set_best(best);
        Removals removals;
        std::vector<Price> bounds;
        root.filter(candidates, removals);
        root.bound(candidates, removals, bounds);
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (bounds[i] < best)
                tasks.push_back({i, bounds[i]});
        std::stable_sort(tasks.begin(), tasks.end(),
                         [](const Task &a, const Task &b) { return a.bound < b.bound; });
    }
    best = std::min(best, root.best());
    result.nodes += root.nodes();
    for (Found &item : root.take())
        found.push_back(std::move(item));

    // The subtrees, in waves; what a wave found is known to the next.
    struct Outcome {
        Price best, open;
        std::uint64_t nodes;
        std::vector<Found> found;
    };
    Workers workers(tasks.empty() ? 1 : std::min(pricing.threads, tasks.size()));
    std::vector<Explorer> explorers;
    for (std::size_t w = 0; w < workers.size(); ++w)
        explorers.emplace_back(setting, clock, w == 0);
    std::vector<Outcome> outcomes(tasks.size());
    const std::size_t task_room = room / 8 + 4;
    for (std::size_t first = 0, last; first < tasks.size(); first = last) {
        last = wave_end(first, tasks.size());
        if (tasks[first].bound >= best)
            break; // so do all later ones
        if (clock.is_over()) {
            open = std::min(open, tasks[first].bound);
            break;
        }
        workers.run(first, last, [&](std::size_t t, std::size_t w) {
            if (tasks[t].bound >= best) {
                outcomes[t] = {best, Removals::none, 0, {}};
                return;
            }
            Explorer &explorer = explorers[w];
            explorer.explore(table, candidates, tasks[t].index, tasks[t].bound, best, task_room);
            outcomes[t] = {explorer.best(), explorer.open(), explorer.nodes(), explorer.take()};
        });
        for (std::size_t t = first; t < last; ++t) {
            best = std::min(best, outcomes[t].best);
            open = std::min(open, outcomes[t].open);
            result.nodes += outcomes[t].nodes;
            for (Found &item : outcomes[t].found)
                found.push_back(std::move(item));
        }
    }
    result.is_complete = open >= best;
    const Price bound = std::min(best, open);
    result.bound = bound == cutoff ? pricing.cutoff : scale.back(bound);
    result.rules = choose(bits, std::move(found), keep);
    return result;
}

} // namespace faircg
