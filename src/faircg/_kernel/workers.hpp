// Threads that run numbered tasks in waves.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace faircg {

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
