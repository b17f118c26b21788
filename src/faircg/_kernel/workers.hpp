// Threads that run numbered tasks in waves, and the clock that stops them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace faircg {

// Says when to stop: time is up, a byte was set, or the caller's poll asks for it.
class Clock {
  public:
    // `poll` runs in the calling thread only, a few times per second; true means stop.
    Clock(double seconds, const volatile std::uint8_t *flag, std::function<bool()> poll);

    // Ask the world (costs a microsecond); remembers the answer.
    bool look(bool is_caller);
    bool is_over() const { return over_.load(std::memory_order_relaxed); }
    void stop() { over_.store(true, std::memory_order_relaxed); }

  private:
    using Time = std::chrono::steady_clock::time_point;
    Time start_;
    Time last_poll_;
    double seconds_;
    const volatile std::uint8_t *flag_;
    std::function<bool()> poll_;
    std::atomic<bool> over_{false};
};

// One worker's share of a clock: looks after a fixed amount of work, about a millisecond.
class Ticker {
  public:
    Ticker(Clock &clock, bool is_caller) : clock_(clock), is_caller_(is_caller) {}

    // Report `words` read; true means stop.
    bool tick(std::size_t words) {
        work_ += words + 16;
        if (work_ < (std::size_t{1} << 20))
            return clock_.is_over();
        work_ = 0;
        return clock_.look(is_caller_);
    }

  private:
    Clock &clock_;
    bool is_caller_;
    std::size_t work_ = 0;
};

// The calling thread and some helpers. Who runs which task is left to chance; the tasks must
// not notice.
class Workers {
  public:
    explicit Workers(std::size_t threads);
    ~Workers();
    Workers(const Workers &) = delete;
    Workers &operator=(const Workers &) = delete;

    // Run task(i, worker) for first <= i < last and wait; worker 0 is the calling thread.
    // An exception of a task is thrown again here.
    void run(std::size_t first, std::size_t last,
             const std::function<void(std::size_t, std::size_t)> &task);
    std::size_t size() const { return helpers_.size() + 1; }

  private:
    void help(std::size_t worker);
    void work(std::size_t worker);

    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void(std::size_t, std::size_t)> *task_ = nullptr;
    std::atomic<std::size_t> next_{0};
    std::size_t last_ = 0, wave_ = 0, busy_ = 0;
    bool quit_ = false;
    std::exception_ptr error_;
};

// Sizes of the waves: 1, 1, 2, 4, 8, 16, 16, ... Tasks of a wave share what earlier waves
// found, so that the outcome does not depend on the number of threads.
inline std::size_t wave_end(std::size_t first, std::size_t tasks) {
    const std::size_t size = first == 0 ? 1 : first < 16 ? first : 16;
    return first + size < tasks ? first + size : tasks;
}

} // namespace faircg
