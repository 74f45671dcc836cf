// Replicates shared out among threads. Plain std::thread: OpenMP's spinning made two threads slower than one on a busy
// machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace unconfuse {

// Calls worker(i) for i = 0, ..., count - 1; every thread makes its own worker, which owns its scratch memory.
template <typename MakeWorker>
void for_each_replicate(std::size_t count, unsigned n_threads, MakeWorker make_worker) {
    constexpr std::size_t at_once = 4;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        try {
            auto worker = make_worker();
            for (std::size_t start; (start = next.fetch_add(at_once)) < count;)
                for (std::size_t i = start; i < std::min(count, start + at_once); ++i) worker(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            failure = std::current_exception();
        }
    };
    const std::size_t useful = std::min<std::size_t>(std::max(n_threads, 1u), (count + at_once - 1) / at_once);
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < useful; ++i) helpers.emplace_back(work);
    work();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace unconfuse
