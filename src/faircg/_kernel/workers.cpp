#include "workers.hpp"

#include <system_error>

namespace faircg {

Workers::Workers(std::size_t threads) {
    try {
        for (std::size_t worker = 1; worker < threads; ++worker)
            helpers_.emplace_back([this, worker] { help(worker); });
    } catch (const std::system_error &) {
        // No more threads to be had: fewer workers give the same result, later.
    }
}

Workers::~Workers() {
    {
        std::lock_guard lock(mutex_);
        quit_ = true;
    }
    start_.notify_all();
    for (std::thread &helper : helpers_)
        helper.join();
}

void Workers::run(std::size_t first, std::size_t last,
                  const std::function<void(std::size_t, std::size_t)> &task) {
    const bool alone = helpers_.empty() || last - first < 2;
    {
        std::lock_guard lock(mutex_);
        task_ = &task;
        next_ = first;
        last_ = last;
        error_ = nullptr;
        if (!alone) {
            busy_ = helpers_.size();
            ++wave_;
        }
    }
    if (!alone)
        start_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_)
        std::rethrow_exception(error_);
}

void Workers::help(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return quit_ || wave_ != seen; });
            if (quit_)
                return;
            seen = wave_;
        }
        work(worker);
        bool is_last;
        {
            std::lock_guard lock(mutex_);
            is_last = --busy_ == 0;
        }
        if (is_last)
            done_.notify_one();
    }
}

void Workers::work(std::size_t worker) {
    for (std::size_t i; (i = next_.fetch_add(1)) < last_;) {
        try {
            (*task_)(i, worker);
        } catch (...) {
            std::lock_guard lock(mutex_);
            if (!error_)
                error_ = std::current_exception();
            next_ = last_;
        }
    }
}

} // namespace faircg
