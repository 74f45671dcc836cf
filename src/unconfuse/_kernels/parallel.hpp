// Work shared out among threads. Plain std::thread: OpenMP's spinning made two threads slower than one on a busy
// machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace unconfuse {

// Calls work() here and on so many other threads, or on as many as can be started: where a container or the memory
// allows no more, fewer do the same. What work() throws is thrown here, after all have ended.
template <typename Work>
void with_helpers(std::size_t wanted, Work work) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto guarded = [&] {
        try {
            work();
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    try {
        helpers.reserve(wanted);
        while (helpers.size() < wanted) helpers.emplace_back(guarded);
    } catch (const std::system_error&) {  // no thread
    } catch (const std::bad_alloc&) {     // no memory for one
    }
    guarded();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

// Calls worker(i) for i = 0, ..., count - 1; every thread makes its own worker, which owns its scratch memory.
template <typename MakeWorker>
void for_each_replicate(std::size_t count, unsigned n_threads, MakeWorker make_worker, std::size_t at_once = 4) {
    std::atomic<std::size_t> next{0};
    const std::size_t useful = std::min<std::size_t>(std::max(n_threads, 1u), (count + at_once - 1) / at_once);
    with_helpers(std::max<std::size_t>(useful, 1) - 1, [&] {
        auto worker = make_worker();
        for (std::size_t start; (start = next.fetch_add(at_once)) < count;)
            for (std::size_t i = start; i < std::min(count, start + at_once); ++i) worker(i);
    });
}

}  // namespace unconfuse
