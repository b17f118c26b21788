// Lists of numbers: the conditions of rules, or the rules of rule sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace faircg {

using Numbers = std::vector<std::int32_t>;

// The numbers and one more, ascending.
inline Numbers with(Numbers numbers, std::int32_t added) {
    numbers.push_back(added);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// One after the other: list k is numbers[starts[k]..starts[k + 1]].
struct Lists {
    Numbers numbers;
    std::vector<std::int64_t> starts{0};

    void add(const Numbers &list) {
        numbers.insert(numbers.end(), list.begin(), list.end());
        starts.push_back(static_cast<std::int64_t>(numbers.size()));
    }

    void append(const Lists &lists) {
        const auto offset = static_cast<std::int64_t>(numbers.size());
        numbers.insert(numbers.end(), lists.numbers.begin(), lists.numbers.end());
        for (std::size_t k = 1; k < lists.starts.size(); ++k)
            starts.push_back(offset + lists.starts[k]);
    }
};

// All that was asked for, unless it says otherwise.
struct Listing {
    Lists lists;
    bool is_complete = true;
    bool too_many = false;
    std::uint64_t nodes = 0;
};

} // namespace faircg
