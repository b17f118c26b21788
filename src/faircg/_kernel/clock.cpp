#include "clock.hpp"

namespace faircg {

Clock::Clock(const Limits &limits)
    : limits_(limits), start_(std::chrono::steady_clock::now()), last_poll_(start_) {
    read(0);
    look(false);
}

bool Clock::look(bool is_caller) {
    if (is_over())
        return true;
    const Time now = std::chrono::steady_clock::now();
    if ((limits_.stop && limits_.stop->is_set.load(std::memory_order_relaxed)) ||
        std::chrono::duration<double>(now - start_).count() >= limits_.seconds)
        stop();
    else if (is_caller && limits_.poll && now - last_poll_ > std::chrono::milliseconds(50)) {
        last_poll_ = now;
        if (limits_.poll())
            stop();
    }
    return is_over();
}

} // namespace faircg
