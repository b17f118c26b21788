// Every rule set within a budget, depth first: the heaviest cell that is not decided yet is
// covered by one of the rules left, or given up. The proofs are in docs/exact-search.md.
#include "rule_sets.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <utility>

#include "sums.hpp"
#include "table.hpp"
#include "workers.hpp"

namespace faircg {
namespace {

constexpr std::size_t common_cells = 8;      // so many cells of one price get their own words
constexpr std::size_t first_cells = 448;     // weighed first: about one cache line
constexpr std::int64_t packing_room = 512;   // with more complexity left, no packing bounds
constexpr std::size_t most_stored = 1 << 22; // additions of the root that wait for threads

// Call use(cell) for each cell that the rule covers.
template <class Use> void for_each_cell(const BitsView &view, std::int32_t rule, Use use) {
    const Word *words = view[static_cast<std::size_t>(rule)];
    for (std::size_t w = 0; w < view.words; ++w)
        for (Word x = words[w]; x; x &= x - 1)
            use(64 * w + static_cast<std::size_t>(std::countr_zero(x)));
}

// Some cells of all rules, packed by price.
class Packed {
  public:
    Packed() = default;
    Packed(const BitsView &view, const std::vector<std::int32_t> &rules,
           std::vector<std::size_t> cells, const std::vector<Price> &prices, Ticker &ticker)
        : sum_(instructions().sum) {
        std::stable_sort(cells.begin(), cells.end(),
                         [&](std::size_t a, std::size_t b) { return prices[a] > prices[b]; });
        std::vector<std::size_t> rare;
        for (std::size_t i = 0, next; i < cells.size(); i = next) {
            for (next = i; next < cells.size() && prices[cells[next]] == prices[cells[i]];)
                ++next;
            if (next - i < common_cells) {
                rare.insert(rare.end(), cells.begin() + static_cast<std::ptrdiff_t>(i),
                            cells.begin() + static_cast<std::ptrdiff_t>(next));
                continue;
            }
            for (std::size_t k = i; k < next; ++k) {
                if ((k - i) % 64 == 0)
                    of_word_.push_back(prices[cells[i]]);
                places_.push_back({cells[k], 64 * (of_word_.size() - 1) + (k - i) % 64});
            }
        }
        for (std::size_t k = 0; k < rare.size(); ++k) {
            places_.push_back({rare[k], 64 * of_word_.size() + k});
            of_row_.push_back(prices[rare[k]]);
        }
        of_row_.resize(64 * words_for(rare.size()));
        words_ = of_word_.size() + of_row_.size() / 64;
        bits_.resize(rules.size() * words_);
        std::vector<std::size_t> bit_of(view.rows, nowhere);
        for (const Place &place : places_)
            bit_of[place.cell] = place.bit;
        for (std::size_t r = 0; r < rules.size() && !ticker.tick(16 * view.words); ++r)
            for_each_cell(view, rules[r], [&](std::size_t cell) {
                if (const std::size_t bit = bit_of[cell]; bit != nowhere)
                    bits_[r * words_ + bit / 64] |= Word{1} << (bit % 64);
            });
    }

    struct Place {
        std::size_t cell;
        std::size_t bit;
    };

    const Word *operator[](std::int32_t rule) const {
        return bits_.data() + static_cast<std::size_t>(rule) * words_;
    }
    std::size_t words() const { return words_; }
    const std::vector<Place> &places() const { return places_; }
    Price sum(const Word *a, const Word *b) const {
        return sum_(a, b, {of_word_.size(), of_row_.size() / 64, of_word_.data(), of_row_.data()});
    }

  private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    Price (*sum_)(const Word *, const Word *, const Prices &) = nullptr;
    std::size_t words_ = 0;
    std::vector<Price> of_word_, of_row_;
    std::vector<Place> places_;
    std::vector<Word> bits_;
};

struct HeavyCell {
    std::size_t bit; // in the table of missed cells
    Price missed;
};

// The problem in fixed point. Numbers are rounded down, so that no set is lost.
struct Setting {
    Price spare_price;
    Price limit;
    std::size_t most;
    std::vector<std::int32_t> ids; // rules that fit at all, by the numbers of the caller
    Packed first, rest;            // cells with a price of covering them again
    Packed missed;                 // cells with a price of missing them
    std::vector<HeavyCell> heavy;  // the latter, heaviest first
};

struct Addition {
    std::int32_t rule;
    std::int32_t complexity;
    Price penalty; // its cost, and what it covers again
    Price missed;  // price of the open cells that it covers
};

// The most that additions can win, by the complexity they may use.
class Packing {
  public:
    void start(std::int64_t room) {
        room_ = room;
        best_.assign(static_cast<std::size_t>(room) + 1, 0);
        tops_.resize(best_.size());
        for (std::vector<Price> &top : tops_)
            top.clear();
    }

    void add(std::int64_t complexity, Price value) {
        if (value <= 0 || complexity > room_)
            return;
        std::vector<Price> &top = tops_[static_cast<std::size_t>(complexity)];
        const auto most = static_cast<std::size_t>(room_ / complexity);
        if (top.size() == most && value <= top.back())
            return;
        if (top.size() == most)
            top.pop_back();
        top.insert(std::upper_bound(top.begin(), top.end(), value, std::greater<>()), value);
    }

    void solve() {
        for (std::size_t c = 1; c < tops_.size(); ++c)
            for (const Price value : tops_[c])
                for (std::size_t r = best_.size() - 1; r >= c; --r)
                    best_[r] = std::max(best_[r], best_[r - c] + value);
    }

    Price operator[](std::int64_t room) const { return best_[static_cast<std::size_t>(room)]; }

  private:
    std::int64_t room_ = 0;
    std::vector<Price> best_;
    std::vector<std::vector<Price>> tops_; // largest values of each complexity, descending
};

// Rules taken, cells decided, and the rules that may be added.
struct Node {
    Price excess;              // of the rules taken, and of the cells given up
    std::int64_t room;         // complexity left
    Price open_missed;         // price of all open cells
    std::size_t heaviest;      // cells before it in the order of weight are decided
    std::vector<Word> covered; // first cells, then the rest
    std::vector<Word> open;
    std::vector<Addition> additions;
    Packing by_missed; // what additions win if all cells they cover would else be missed
    Packing by_cost;   // and if none would
    std::size_t branches = 0;
};

class Finder {
  public:
    Finder(const Setting &setting, Clock &clock, std::atomic<std::size_t> &found, bool is_caller)
        : setting_(setting), clock_(clock), found_(found), ticker_(clock, is_caller),
          fresh_(setting.first.words() + setting.rest.words()), union_(setting.missed.words()) {}

    RuleList take() { return std::move(sets_); }
    std::uint64_t nodes() const { return nodes_; }

    // Report the set of the rules taken. False: stopped.
    bool offer(Price excess) {
        if (excess > setting_.limit)
            return true;
        if (found_.fetch_add(1, std::memory_order_relaxed) >= setting_.most) {
            clock_.stop();
            return false;
        }
        std::vector<std::int32_t> rules;
        for (const std::int32_t rule : taken_)
            rules.push_back(setting_.ids[static_cast<std::size_t>(rule)]);
        std::sort(rules.begin(), rules.end());
        sets_.add(rules);
        return true;
    }

    // Drop what no set within the limit contains, and put first the additions to branch on.
    // False: nothing to branch on, or stopped.
    bool prepare(Node &node) {
        ++nodes_;
        for (bool again = true; again;) {
            if (ticker_.tick(node.additions.size() * (union_.size() + 8)))
                return false;
            std::fill(union_.begin(), union_.end(), 0);
            for (const Addition &a : node.additions) {
                const Word *bits = setting_.missed[a.rule];
                for (std::size_t w = 0; w < union_.size(); ++w)
                    union_[w] |= bits[w];
            }
            for (std::size_t w = 0; w < union_.size(); ++w)
                union_[w] = node.open[w] & ~union_[w];
            const Price lost = setting_.missed.sum(union_.data(), union_.data());
            node.excess += lost;
            node.open_missed -= lost;
            for (std::size_t w = 0; w < union_.size(); ++w)
                node.open[w] &= ~union_[w];
            if (node.excess > setting_.limit || node.additions.empty())
                return false;
            const std::size_t before = node.additions.size();
            bound(node);
            again = node.additions.size() < before;
        }
        choose_branches(node);
        return true;
    }

    // Explore all sets below the node.
    bool explore(std::size_t depth) {
        Node &node = level(depth);
        while (prepare(node)) {
            for (std::size_t i = 0; i < node.branches; ++i)
                if (!branch(node, i, depth + 1))
                    return false;
            if (!give_up(node))
                break;
        }
        return true;
    }

    // The sets that contain addition `i` of the node and none before it.
    bool branch(const Node &node, std::size_t i, std::size_t depth) {
        taken_.push_back(node.additions[i].rule);
        const bool goes_on = offer(worst(node) - value(node.additions[i])) &&
                             make_child(node, i, level(depth)) && explore(depth);
        taken_.pop_back();
        return goes_on && !clock_.is_over();
    }

    // After all branches: the heaviest cell stays without a rule. False: no cell was open.
    bool give_up(Node &node) const {
        const auto last = node.additions.begin() + static_cast<std::ptrdiff_t>(node.branches);
        node.additions.erase(node.additions.begin(), last);
        if (node.heaviest == setting_.heavy.size())
            return false;
        const HeavyCell &cell = setting_.heavy[node.heaviest];
        node.excess += cell.missed;
        node.open_missed -= cell.missed;
        node.open[cell.bit / 64] &= ~(Word{1} << (cell.bit % 64));
        return node.excess <= setting_.limit;
    }

  private:
    Node &level(std::size_t depth) {
        while (levels_.size() <= depth)
            levels_.emplace_back();
        return levels_[depth];
    }

    static bool packs(const Node &node) { return node.room <= packing_room; }

    // The excess if nothing is added.
    Price worst(const Node &node) const {
        return node.excess + node.open_missed + spare(node.room);
    }
    Price spare(std::int64_t room) const { return setting_.spare_price * room; }
    // How much smaller the excess is if it is added alone.
    Price value(const Addition &a) const { return a.missed - a.penalty + spare(a.complexity); }

    // Drop the additions with which no set is within the limit.
    void bound(Node &node) const {
        std::vector<Addition> &additions = node.additions;
        const bool packing = packs(node);
        if (packing) {
            node.by_missed.start(node.room);
            node.by_cost.start(node.room);
            for (const Addition &a : additions) {
                node.by_missed.add(a.complexity, value(a));
                node.by_cost.add(a.complexity, spare(a.complexity) - a.penalty);
            }
            node.by_missed.solve();
            node.by_cost.solve();
        }
        const Price all = worst(node);
        std::erase_if(additions, [&](const Addition &a) {
            if (a.complexity > node.room || node.excess + a.penalty > setting_.limit)
                return true;
            if (!packing)
                return false;
            const std::int64_t room = node.room - a.complexity;
            return all - value(a) - node.by_missed[room] > setting_.limit ||
                   node.excess + a.penalty + spare(room) - node.by_cost[room] > setting_.limit;
        });
    }

    // First the additions that cover the heaviest open cell; all, if no cell is open.
    void choose_branches(Node &node) const {
        while (node.heaviest < setting_.heavy.size() &&
               !is_open(node, setting_.heavy[node.heaviest]))
            ++node.heaviest;
        if (node.heaviest == setting_.heavy.size()) {
            node.branches = node.additions.size();
        } else {
            const std::size_t bit = setting_.heavy[node.heaviest].bit;
            const auto last = std::stable_partition(
                node.additions.begin(), node.additions.end(), [&](const Addition &a) {
                    return setting_.missed[a.rule][bit / 64] >> (bit % 64) & 1;
                });
            node.branches = static_cast<std::size_t>(last - node.additions.begin());
        }
        std::sort(node.additions.begin(),
                  node.additions.begin() + static_cast<std::ptrdiff_t>(node.branches),
                  [&](const Addition &a, const Addition &b) {
                      const Price x = value(a), y = value(b);
                      return x != y ? x > y : a.rule < b.rule;
                  });
    }

    static bool is_open(const Node &node, const HeavyCell &cell) {
        return node.open[cell.bit / 64] >> (cell.bit % 64) & 1;
    }

    // Take addition `index`; those after it remain. False: stopped.
    bool make_child(const Node &node, std::size_t index, Node &child) {
        const Addition &taken = node.additions[index];
        child.excess = node.excess + taken.penalty;
        child.room = node.room - taken.complexity;
        child.open_missed = node.open_missed - taken.missed;
        child.heaviest = node.heaviest;
        child.additions.clear();
        child.covered.resize(node.covered.size());
        child.open.resize(node.open.size());
        const std::size_t split = setting_.first.words();
        const Word *first = setting_.first[taken.rule], *rest = setting_.rest[taken.rule];
        for (std::size_t w = 0; w < node.covered.size(); ++w) {
            const Word bits = w < split ? first[w] : rest[w - split];
            fresh_[w] = bits & ~node.covered[w];
            child.covered[w] = node.covered[w] | bits;
        }
        const Word *missed = setting_.missed[taken.rule];
        for (std::size_t w = 0; w < node.open.size(); ++w)
            child.open[w] = node.open[w] & ~missed[w];
        const bool packing = packs(node);
        const Price all = worst(node) - value(taken);
        if (ticker_.tick(8 * (node.additions.size() - index)))
            return false;
        for (std::size_t k = index + 1; k < node.additions.size(); ++k) {
            Addition a = node.additions[k];
            const std::int64_t room = child.room - a.complexity;
            if (room < 0)
                continue;
            // The packings of the node bound those of the child: penalties only grow, open
            // cells only become fewer.
            Price most = setting_.limit - child.excess;
            if (packing)
                most = std::min(most - spare(room) + node.by_cost[room],
                                setting_.limit - all + a.missed + spare(a.complexity) +
                                    node.by_missed[room]);
            if (a.penalty > most)
                continue;
            a.penalty += setting_.first.sum(fresh_.data(), setting_.first[a.rule]);
            if (a.penalty > most)
                continue;
            a.penalty += setting_.rest.sum(fresh_.data() + split, setting_.rest[a.rule]);
            if (a.penalty > most)
                continue;
            a.missed = setting_.missed.sum(child.open.data(), setting_.missed[a.rule]);
            if (ticker_.tick(fresh_.size()))
                return false;
            child.additions.push_back(a);
        }
        return true;
    }

    const Setting &setting_;
    Clock &clock_;
    std::atomic<std::size_t> &found_;
    Ticker ticker_;
    RuleList sets_;
    std::vector<std::int32_t> taken_;
    std::vector<Word> fresh_, union_;
    std::deque<Node> levels_;
    std::uint64_t nodes_ = 0;
};

std::size_t most_rules_in_a_set(const SetProblem &problem, const std::vector<std::int32_t> &ids) {
    std::vector<std::int64_t> complexities;
    for (const std::int32_t k : ids)
        complexities.push_back(problem.complexities[k]);
    std::sort(complexities.begin(), complexities.end());
    std::size_t most = 0;
    for (std::int64_t room = problem.max_complexity;
         most < complexities.size() && complexities[most] <= room; ++most)
        room -= complexities[most];
    return most;
}

} // namespace

AllSets rule_sets_below(const SetProblem &problem, std::size_t most) {
    AllSets result{{}, true, false, 0};
    if (!(problem.limit >= 0))
        return result;
    Clock clock(problem.seconds, problem.stop, problem.poll);
    Ticker ticker(clock, true);
    const BitsView &view = problem.covers;
    Setting setting;
    setting.most = most;
    for (std::size_t k = 0; k < view.conditions; ++k)
        if (problem.complexities[k] <= problem.max_complexity)
            setting.ids.push_back(static_cast<std::int32_t>(k));
    const auto room = static_cast<double>(problem.max_complexity);
    const double most_taken = static_cast<double>(most_rules_in_a_set(problem, setting.ids));
    if (most_taken > most_rules)
        throw std::invalid_argument("a rule set can have too many rules");
    double all_again = 0, all_missed = 0, all_costs = 0;
    for (std::size_t i = 0; i < view.rows; ++i) {
        all_again += problem.again[i];
        all_missed += problem.missed[i];
    }
    for (const std::int32_t k : setting.ids)
        all_costs += problem.costs[k];
    // Prices above the limit all say the same: never.
    const double all = all_costs + all_missed + all_again * most_taken + problem.spare_price * room;
    const double limit = std::min(problem.limit, 1.001 * all); // the sums are rounded
    const auto clip = [&](double price) {
        return limit > 0 ? std::min(price, 2 * limit) : price > 0 ? 1.0 : 0.0;
    };
    double largest = 16 * clip(1e300) + 4 * clip(problem.spare_price) * room;
    for (std::size_t i = 0; i < view.rows; ++i)
        largest += 4 * clip(problem.again[i]) + (most_taken + 4) * clip(problem.missed[i]);
    const int exponent = std::min(scale_for(largest).exponent, 1000);
    const auto scale = [&](double price) {
        return static_cast<Price>(std::floor(std::ldexp(clip(price), exponent)));
    };
    setting.spare_price = scale(problem.spare_price);
    setting.limit = static_cast<Price>(std::ceil(std::ldexp(limit, exponent)));
    std::vector<Price> again(view.rows), missed(view.rows);
    std::vector<double> share(view.rows);
    std::vector<std::size_t> again_cells, missed_cells;
    for (std::size_t i = 0; i < view.rows; ++i) {
        again[i] = scale(problem.again[i]);
        missed[i] = scale(problem.missed[i]);
        if (again[i] > 0)
            again_cells.push_back(i);
        if (missed[i] > 0)
            missed_cells.push_back(i);
    }
    // First weigh the cells in which rules overlap most, to be done with most pairs.
    for (const std::int32_t k : setting.ids)
        if (!ticker.tick(16 * view.words))
            for_each_cell(view, k, [&](std::size_t cell) { share[cell] += 1; });
    for (const std::size_t i : again_cells)
        share[i] *= share[i] * static_cast<double>(again[i]);
    std::stable_sort(again_cells.begin(), again_cells.end(),
                     [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
    const auto split = again_cells.begin() +
                       static_cast<std::ptrdiff_t>(std::min(again_cells.size(), first_cells));
    setting.first = Packed(view, setting.ids, {again_cells.begin(), split}, again, ticker);
    setting.rest = Packed(view, setting.ids, {split, again_cells.end()}, again, ticker);
    setting.missed = Packed(view, setting.ids, missed_cells, missed, ticker);
    for (const Packed::Place &place : setting.missed.places())
        setting.heavy.push_back({place.bit, missed[place.cell]});
    std::stable_sort(setting.heavy.begin(), setting.heavy.end(),
                     [](const HeavyCell &a, const HeavyCell &b) { return a.missed > b.missed; });

    std::atomic<std::size_t> found{0};
    Workers workers(problem.threads);
    std::vector<Finder> finders;
    for (std::size_t w = 0; w < workers.size(); ++w)
        finders.emplace_back(setting, clock, found, w == 0);
    Node root;
    root.excess = 0;
    root.room = problem.max_complexity;
    root.heaviest = 0;
    root.covered.assign(setting.first.words() + setting.rest.words(), 0);
    root.open.assign(setting.missed.words(), 0);
    for (const HeavyCell &cell : setting.heavy)
        root.open[cell.bit / 64] |= Word{1} << (cell.bit % 64);
    root.open_missed = setting.missed.sum(root.open.data(), root.open.data());
    for (std::size_t k = 0; k < setting.ids.size(); ++k) {
        const auto rule = static_cast<std::int32_t>(k);
        const auto id = static_cast<std::size_t>(setting.ids[k]);
        root.additions.push_back({rule, static_cast<std::int32_t>(problem.complexities[id]),
                                  scale(problem.costs[id]),
                                  setting.missed.sum(root.open.data(), setting.missed[rule])});
    }
    // The branches of the root are the tasks. Giving up a cell changes the root, so that each
    // such step is stored until its tasks are done.
    std::vector<Node> steps;
    std::vector<std::pair<std::size_t, std::size_t>> tasks;
    const auto run = [&] {
        workers.run(0, tasks.size(), [&](std::size_t i, std::size_t w) {
            if (!clock.is_over())
                finders[w].branch(steps[tasks[i].first], tasks[i].second, 0);
        });
        tasks.clear();
        steps.clear();
    };
    bool goes_on =
        finders[0].offer(root.excess + root.open_missed + setting.spare_price * root.room);
    for (std::size_t stored = 0; goes_on && !clock.look(true) && finders[0].prepare(root);) {
        for (std::size_t i = 0; i < root.branches; ++i)
            tasks.emplace_back(steps.size(), i);
        steps.push_back(root);
        stored += root.additions.size();
        goes_on = finders[0].give_up(root);
        if (stored > most_stored) {
            run();
            stored = 0;
        }
    }
    run();
    result.too_many = found > most;
    result.is_complete = !clock.is_over();
    for (Finder &finder : finders) {
        result.nodes += finder.nodes();
        if (result.too_many)
            continue; // which sets were first is a matter of chance: none is returned
        const RuleList list = finder.take();
        const auto offset = static_cast<std::int64_t>(result.sets.conditions.size());
        result.sets.conditions.insert(result.sets.conditions.end(), list.conditions.begin(),
                                      list.conditions.end());
        for (std::size_t k = 1; k < list.starts.size(); ++k)
            result.sets.starts.push_back(offset + list.starts[k]);
    }
    return result;
}

} // namespace faircg
