// When to stop: limits, the clock that watches them, and the shares of it that workers hold.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace faircg {

// Somebody outside asks a search to stop.
struct StopFlag {
    std::atomic<bool> is_set{false};
};

struct Limits {
    std::size_t threads;
    double seconds;
    const StopFlag *stop;           // may be null
    std::int64_t most_words;        // negative: any number; otherwise there is one thread
    std::function<bool()> poll;     // may be empty; true means stop
    mutable std::int64_t words = 0; // read, if they are counted
};

// Says when to stop: time is up, all words are read, the flag was set, or the caller's poll asks
// for it.
class Clock {
  public:
    // The poll runs in the calling thread only, a few times per second.
    explicit Clock(const Limits &limits);

    // Ask the world (costs a microsecond); remembers the answer.
    bool look(bool is_caller);
    bool is_over() const { return over_.load(std::memory_order_relaxed); }
    // Count words read, if their number is limited; says whether to stop.
    bool read(std::size_t words) {
        if (limits_.most_words >= 0) {
            limits_.words += static_cast<std::int64_t>(words);
            if (limits_.words >= limits_.most_words)
                stop();
        }
        return is_over();
    }
    void stop() { over_.store(true, std::memory_order_relaxed); }

  private:
    using Time = std::chrono::steady_clock::time_point;
    const Limits &limits_;
    Time start_;
    Time last_poll_;
    std::atomic<bool> over_{false};
};

// One worker's share of a clock: looks after a fixed amount of work, about a millisecond.
class Ticker {
  public:
    Ticker(Clock &clock, bool is_caller) : clock_(clock), is_caller_(is_caller) {}

    // Report `words` read; true means stop.
    bool tick(std::size_t words) {
        work_ += words + 16;
        if (clock_.read(words + 16) || work_ < (std::size_t{1} << 20))
            return clock_.is_over();
        work_ = 0;
        return clock_.look(is_caller_);
    }

  private:
    Clock &clock_;
    bool is_caller_;
    std::size_t work_ = 0;
};

// How many answers all workers together may list: one more stops them all.
class Quota {
  public:
    Quota(std::size_t most, Clock &clock) : most_(most), clock_(clock) {}

    // Count one more answer. False: too many.
    bool take() {
        if (taken_.fetch_add(1, std::memory_order_relaxed) < most_)
            return true;
        clock_.stop();
        return false;
    }
    bool is_exceeded() const { return taken_ > most_; }

  private:
    std::size_t most_;
    Clock &clock_;
    std::atomic<std::size_t> taken_{0};
};

} // namespace faircg
