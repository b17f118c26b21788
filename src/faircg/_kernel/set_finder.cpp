#include "set_finder.hpp"

#include <algorithm>

namespace faircg {
namespace {

constexpr std::int64_t knapsack_room = 512; // with more complexity left, no knapsack bounds

bool has_knapsacks(const SetNode &node) { return node.room <= knapsack_room; }

} // namespace

SetNode SetFinder::root(const RuleSetProblem &problem) const {
    SetNode root;
    root.room = problem.max_complexity;
    root.marked = problem_.marked;
    root.touched.resize(problem_.has_touches ? fresh_.size() : 0);
    root.open.resize(lost_.size());
    for (const HeavyCell &cell : problem_.heavy)
        root.open[cell.bit / 64] |= Word{1} << (cell.bit % 64);
    root.linked.resize(joined_.size());
    root.open_missed = problem_.missed.paid(root.open.data(), root.open.data());
    for (std::size_t k = 0; k < problem_.usable.size(); ++k) {
        const std::int32_t rule = problem_.usable[k];
        const Word *rest = root.marked.data() + problem_.first.words();
        root.additions.push_back(
            {rule, static_cast<std::int32_t>(problem.complexities[rule]),
             problem_.costs[k] + problem_.first.paid(root.marked.data(), problem_.first[rule]) +
                 problem_.rest.paid(rest, problem_.rest[rule]),
             problem_.missed.paid(root.open.data(), problem_.missed[rule]),
             touch_price(root.marked, rule),
             problem_.linked.paid(problem_.linked[rule], problem_.linked[rule])});
    }
    return root;
}

// What a rule that is added alone pays for its touches.
Price SetFinder::touch_price(const std::vector<Word> &charged, std::int32_t rule) const {
    if (!problem_.has_touches)
        return 0;
    const Table &first = problem_.first_touches, &rest = problem_.rest_touches;
    return first.paid(charged.data(), first[rule]) +
           rest.paid(charged.data() + first.words(), rest[rule]);
}

bool SetFinder::offer(Price excess) {
    if (excess > problem_.limit)
        return true;
    if (!quota_.take())
        return false;
    Numbers set = taken_;
    std::sort(set.begin(), set.end());
    sets_.add(set);
    return true;
}

bool SetFinder::prepare(SetNode &node) {
    ++nodes_;
    for (bool again = true; again;) {
        if (ticker_.tick(node.additions.size() * (lost_.size() + 8)))
            return false;
        give_up_lost(node);
        if (node.excess > problem_.limit || node.additions.empty())
            return false;
        const std::size_t before = node.additions.size();
        bound(node);
        again = node.additions.size() < before;
    }
    choose_branches(node);
    return true;
}

// Explore all sets below the node of a level.
bool SetFinder::explore(std::size_t depth) {
    SetNode &node = level(depth);
    while (prepare(node)) {
        for (std::size_t i = 0; i < node.branches; ++i)
            if (!branch(node, i, depth + 1))
                return false;
        if (!give_up(node))
            break;
    }
    return true;
}

bool SetFinder::branch(const SetNode &node, std::size_t i, std::size_t depth) {
    taken_.push_back(node.additions[i].rule);
    bool goes_on = offer(worst(node) - alone(node, node.additions[i]));
    if (goes_on && (!node.is_ordered || may_hold_more(node, node.additions[i])))
        goes_on = make_child(node, i, level(depth)) && explore(depth);
    taken_.pop_back();
    return goes_on && !clock_.is_over();
}

bool SetFinder::give_up(SetNode &node) const {
    const auto last = node.additions.begin() + static_cast<std::ptrdiff_t>(node.branches);
    node.additions.erase(node.additions.begin(), last);
    if (node.heaviest == problem_.heavy.size())
        return false;
    const HeavyCell &cell = problem_.heavy[node.heaviest];
    node.excess += cell.missed;
    node.open_missed -= cell.missed;
    node.open[cell.bit / 64] &= ~(Word{1} << (cell.bit % 64));
    return node.excess <= problem_.limit;
}

// Give up the open cells that no addition covers.
void SetFinder::give_up_lost(SetNode &node) {
    std::copy(node.open.begin(), node.open.end(), lost_.begin());
    for (const Addition &a : node.additions) {
        const Word *bits = problem_.missed[a.rule];
        for (std::size_t w = 0; w < lost_.size(); ++w)
            lost_[w] &= ~bits[w];
    }
    const Price lost = problem_.missed.paid(lost_.data(), lost_.data());
    node.excess += lost;
    node.open_missed -= lost;
    for (std::size_t w = 0; w < lost_.size(); ++w)
        node.open[w] &= ~lost_[w];
}

// Drop the additions with which no set is within the limit.
void SetFinder::bound(SetNode &node) const {
    const bool knapsacks = has_knapsacks(node);
    if (knapsacks) {
        node.by_missed.start(node.room);
        node.by_cost.start(node.room);
        for (const Addition &a : node.additions) {
            node.by_missed.add(a.complexity, value(node, a));
            node.by_cost.add(a.complexity, spare(node, a.complexity) - a.penalty);
        }
        node.by_missed.solve();
        node.by_cost.solve();
    }
    const Price all = worst(node);
    std::erase_if(node.additions, [&](const Addition &a) {
        const Price paid = shared(node, a), excess = node.excess + a.penalty + paid;
        if (a.complexity > node.room || excess > problem_.limit)
            return true;
        if (!knapsacks)
            return false;
        const std::int64_t room = node.room - a.complexity;
        return all - value(node, a) + paid - node.by_missed[room] > problem_.limit ||
               excess + spare(node, room) - node.by_cost[room] > problem_.limit;
    });
}

// First the additions that cover the heaviest open cell; or all, the smallest penalty first, if
// fewer of these can be the first of several.
void SetFinder::choose_branches(SetNode &node) const {
    node.least = problem_.limit;
    node.longest = 1;
    for (const Addition &a : node.additions) {
        node.least = std::min(node.least, a.penalty);
        node.longest = std::max(node.longest, a.complexity);
    }
    const auto firsts = std::count_if(node.additions.begin(), node.additions.end(),
                                      [&](const Addition &a) { return may_hold_more(node, a); });
    const auto &heavy = problem_.heavy;
    while (node.heaviest < heavy.size() && !has_bit(node.open.data(), heavy[node.heaviest].bit))
        ++node.heaviest;
    auto last = node.additions.begin();
    if (node.heaviest < heavy.size())
        last = std::stable_partition(
            node.additions.begin(), node.additions.end(), [&](const Addition &a) {
                return has_bit(problem_.missed[a.rule], heavy[node.heaviest].bit);
            });
    node.branches = static_cast<std::size_t>(last - node.additions.begin());
    node.is_ordered =
        node.heaviest == heavy.size() || static_cast<std::size_t>(firsts) < node.branches;
    if (node.is_ordered)
        return order(node);
    std::sort(node.additions.begin(), last, [&](const Addition &a, const Addition &b) {
        const Price x = alone(node, a), y = alone(node, b);
        return x != y ? x > y : a.rule < b.rule;
    });
}

// Make a branch of each addition, the smallest penalty first.
void SetFinder::order(SetNode &node) const {
    node.branches = node.additions.size();
    std::sort(node.additions.begin(), node.additions.end(),
              [](const Addition &a, const Addition &b) {
                  return a.penalty != b.penalty ? a.penalty < b.penalty : a.rule < b.rule;
              });
}

// Whether a set within the limit may have others beside it that pay no less.
bool SetFinder::may_hold_more(const SetNode &node, const Addition &a) const {
    const Price excess = node.excess + a.penalty + shared(node, a);
    return excess + fill(node, node.room - a.complexity, a.penalty) <= problem_.limit;
}

// Take addition `index`; those after it remain. False: stopped.
bool SetFinder::make_child(const SetNode &node, std::size_t index, SetNode &child) {
    const Addition &taken = node.additions[index];
    child.excess = node.excess + taken.penalty + shared(node, taken);
    child.links = node.links + taken.links;
    child.room = node.room - taken.complexity;
    child.open_missed = node.open_missed - taken.missed;
    child.heaviest = node.heaviest;
    child.marked.resize(node.marked.size());
    child.open.resize(node.open.size());
    const std::size_t split = problem_.first.words();
    const Word *first = problem_.first[taken.rule], *rest = problem_.rest[taken.rule];
    for (std::size_t w = 0; w < node.marked.size(); ++w) {
        const Word bits = w < split ? first[w] : rest[w - split];
        fresh_[w] = bits & ~node.marked[w];
        child.marked[w] = node.marked[w] | bits;
    }
    if (problem_.has_touches)
        touch(node, taken.rule, child);
    const Word *missed = problem_.missed[taken.rule];
    for (std::size_t w = 0; w < node.open.size(); ++w)
        child.open[w] = node.open[w] & ~missed[w];
    child.linked.resize(node.linked.size());
    const Word *linked = problem_.linked[taken.rule];
    for (std::size_t w = 0; w < node.linked.size(); ++w) {
        joined_[w] = linked[w] & ~node.linked[w];
        child.linked[w] = node.linked[w] | linked[w];
    }
    return weigh(node, index, child);
}

void SetFinder::touch(const SetNode &node, std::int32_t rule, SetNode &child) {
    child.touched.resize(node.touched.size());
    const std::size_t split = problem_.first.words();
    const Word *first = problem_.first_touches[rule], *rest = problem_.rest_touches[rule];
    for (std::size_t w = 0; w < node.touched.size(); ++w) {
        const Word bits = w < split ? first[w] : rest[w - split];
        fresh_[w] |= bits & ~node.marked[w];
        child.marked[w] |= bits;
        child.touched[w] = node.touched[w] | bits;
        charged_[w] = child.marked[w] & ~child.touched[w];
    }
}

// The least that it costs to fill the room with rules that pay so much each, or to leave some.
Price SetFinder::fill(const SetNode &node, std::int64_t room, Price each) const {
    Price least = spare(node, room), paid = 0;
    while (room > 0 && paid < least) {
        room = std::max<std::int64_t>(0, room - node.longest);
        paid += each;
        least = std::min(least, paid + spare(node, room));
    }
    return least;
}

// The most that the cheapest of the rules still to be taken can pay.
Price SetFinder::most_of_next(const SetNode &node) const {
    const Price left = problem_.limit - node.excess;
    Price most = -1;
    std::int64_t room = node.room, rules = 0;
    do {
        room = std::max<std::int64_t>(0, room - node.longest);
        ++rules;
        if (const Price rest = left - spare(node, room); rest >= 0)
            most = std::max(most, rest / rules);
    } while (room > 0);
    return most;
}

// What additions can pay if all others pay so much at least, by the room that they leave.
void SetFinder::limit_penalties(const SetNode &node, const Addition &taken, Price each,
                                const SetNode &child) {
    // The knapsacks of the node bound those of the child: penalties and the price of
    // complexity left over only grow, open cells only become fewer. What an addition covers
    // of these is weighed apart.
    const bool knapsacks = has_knapsacks(node);
    const Price left = problem_.limit - child.excess;
    most_.resize(static_cast<std::size_t>(child.room) + 1);
    for (std::int64_t room = 0; room <= child.room; ++room) {
        Price most = left - fill(child, room, each);
        if (knapsacks)
            most = std::min(most, left - spare(node, room) + node.by_cost[room]);
        most_[static_cast<std::size_t>(room)] = most;
    }
}

// Weigh the additions after `index` as additions to the child, and keep those that fit.
bool SetFinder::weigh(const SetNode &node, std::size_t index, SetNode &child) {
    const Addition &taken = node.additions[index];
    child.additions.clear();
    child.longest = node.longest;
    if (ticker_.tick(8 * (node.additions.size() - index)))
        return false;
    limit_penalties(node, taken, node.is_ordered ? taken.penalty : node.least, child);
    std::size_t k = index + 1;
    if (node.is_ordered) {
        // The cheapest rule still to be taken is among the first; the others pay no less.
        const Price most = most_of_next(child);
        for (; k < node.additions.size() && node.additions[k].penalty <= most; ++k)
            if (!weigh(node, taken, node.additions[k], child))
                return false;
        Price least = problem_.limit + 1;
        for (const Addition &a : child.additions)
            least = std::min(least, a.penalty);
        if (least > most) {
            child.additions.clear();
            return true;
        }
        limit_penalties(node, taken, least, child);
    }
    const Price most = *std::max_element(most_.begin(), most_.end());
    for (; k < node.additions.size(); ++k) {
        if (node.is_ordered && node.additions[k].penalty > most)
            break;
        if (!weigh(node, taken, node.additions[k], child))
            return false;
    }
    return true;
}

// Keep an addition if it fits into the child. False: stopped.
bool SetFinder::weigh(const SetNode &node, const Addition &taken, Addition a, SetNode &child) {
    const std::int64_t room = child.room - a.complexity;
    if (room < 0)
        return true;
    Price most = most_[static_cast<std::size_t>(room)];
    if (has_knapsacks(node)) {
        const Price all = worst(node) - value(node, taken) + shared(node, taken);
        most = std::min(most, problem_.limit - all + a.missed + spare(node, a.complexity) +
                                  node.by_missed[room]);
    }
    if (a.penalty > most)
        return true;
    a.penalty += problem_.first.paid(fresh_.data(), problem_.first[a.rule]);
    if (a.penalty > most)
        return true;
    a.penalty += problem_.rest.paid(fresh_.data() + problem_.first.words(), problem_.rest[a.rule]);
    if (a.penalty > most)
        return true;
    if (taken.links) {
        const Price both = problem_.linked.paid(joined_.data(), problem_.linked[a.rule]);
        a.penalty += a.complexity * (taken.links - both);
        a.links -= both;
    }
    if (problem_.has_touches)
        a.touch = touch_price(charged_, a.rule);
    if (a.penalty + shared(child, a) > most)
        return true;
    a.missed = problem_.missed.paid(child.open.data(), problem_.missed[a.rule]);
    if (ticker_.tick(fresh_.size() + joined_.size()))
        return false;
    child.additions.push_back(a);
    return true;
}

} // namespace faircg
