// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A fiber runs one thread after another until one waits. A waiting thread keeps its fiber, and the
// next thread gets another one. So kernels without barriers run as a plain loop.
#include "emulation/launch.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

#include "emulation/faults.h"

namespace kiln::emulation {
namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;
constexpr unsigned kLanes = 32;

bool faultRequested = false;

struct Fiber {
    ucontext_t start{};
    jmp_buf at{};
    bool started = false;
    unsigned thread = 0;
    void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
};

/// Fibers are kept for the next launch.
std::vector<Fiber*>& freeFibers() {
    static auto* const all = new std::vector<Fiber*>;
    return *all;
}

/// One running block. There is only one at a time: every call holds the device's lock.
class Block {
public:
    Block(KilnState& state, KilnKernel const& kernel, void** parameters)
        : state_(state), kernel_(kernel), parameters_(parameters),
          threads_(state.blockExtent.x * state.blockExtent.y * state.blockExtent.z),
          warps_((threads_ + kLanes - 1) / kLanes) {}

    /// Returns false if the threads wait for each other forever.
    bool run() {
        current = this;
        running_ = threads_;
        for (unsigned thread = 0; thread < threads_; ++thread) {
            warps_[thread / kLanes].running |= 1U << thread % kLanes;
        }
        while (Fiber* const fiber = next()) {
            resume(*fiber);
        }
        return running_ == 0;
    }

    void waitForBlock() {
        atBarrier_.push_back(fiber_);
        releaseBarrier();
        suspend();
    }

    unsigned waitForWarp(unsigned mask) {
        unsigned const thread = fiber_->thread;
        Warp& warp = warps_[thread / kLanes];
        warp.waiting.push_back({fiber_, mask});
        warp.arrived |= 1U << thread % kLanes;
        releaseWarp(warp);
        suspend();
        return mask & warps_[thread / kLanes].running;
    }

    static Block* current;

private:
    struct Waiting {
        Fiber* fiber;
        unsigned mask;
    };
    struct Warp {
        unsigned running = 0; ///< lanes that have not returned
        unsigned arrived = 0;
        std::vector<Waiting> waiting;
    };

    Fiber* next() {
        if (started_ < threads_ && ready_.empty()) {
            if (freeFibers().empty()) {
                freeFibers().push_back(new Fiber);
            }
            Fiber* const fiber = freeFibers().back();
            freeFibers().pop_back();
            return fiber;
        }
        if (ready_.empty()) {
            return nullptr;
        }
        Fiber* const fiber = ready_.front();
        ready_.pop_front();
        return fiber;
    }

    void resume(Fiber& fiber) {
        fiber_ = &fiber;
        if (_setjmp(scheduler_) != 0) {
            return;
        }
        if (fiber.started) {
            place(fiber.thread);
            _longjmp(fiber.at, 1);
        }
        getcontext(&fiber.start);
        fiber.start.uc_stack.ss_sp = fiber.stack;
        fiber.start.uc_stack.ss_size = kStackBytes;
        fiber.start.uc_link = nullptr;
        fiber.started = true;
        makecontext(&fiber.start, &Block::runThreads, 0);
        setcontext(&fiber.start);
    }

    void suspend() {
        Fiber* const fiber = fiber_;
        if (_setjmp(fiber->at) == 0) {
            _longjmp(scheduler_, 1);
        }
    }

    static void runThreads() {
        while (current->started_ < current->threads_) {
            unsigned const thread = current->started_++;
            current->fiber_->thread = thread;
            current->place(thread);
            current->kernel_.call(current->kernel_.function, current->parameters_);
            current->finish(current->fiber_->thread);
        }
        current->fiber_->started = false;
        freeFibers().push_back(current->fiber_);
        _longjmp(current->scheduler_, 1);
    }

    void finish(unsigned thread) {
        --running_;
        Warp& warp = warps_[thread / kLanes];
        warp.running &= ~(1U << thread % kLanes);
        releaseWarp(warp);
        releaseBarrier();
    }

    /// Threads that have returned count as arrived.
    void releaseBarrier() {
        if (!atBarrier_.empty() && atBarrier_.size() == running_) {
            ready_.insert(ready_.end(), atBarrier_.begin(), atBarrier_.end());
            atBarrier_.clear();
        }
    }

    void releaseWarp(Warp& warp) {
        std::vector<Waiting> still;
        unsigned left = warp.arrived;
        for (Waiting const& waiting : warp.waiting) {
            unsigned const expected = waiting.mask & warp.running;
            if ((warp.arrived & expected) == expected) {
                ready_.push_back(waiting.fiber);
                left &= ~(1U << waiting.fiber->thread % kLanes);
            } else {
                still.push_back(waiting);
            }
        }
        warp.waiting = std::move(still);
        warp.arrived = left;
    }

    void place(unsigned thread) {
        state_.thread.x = thread % state_.blockExtent.x;
        state_.thread.y = thread / state_.blockExtent.x % state_.blockExtent.y;
        state_.thread.z = thread / state_.blockExtent.x / state_.blockExtent.y;
    }

    KilnState& state_;
    KilnKernel const& kernel_;
    void** parameters_;
    unsigned threads_;
    unsigned started_ = 0;
    unsigned running_ = 0;
    std::vector<Warp> warps_;
    std::vector<Fiber*> atBarrier_;
    std::deque<Fiber*> ready_;
    Fiber* fiber_ = nullptr;
    jmp_buf scheduler_{};
};

Block* Block::current = nullptr;

void waitForBlock() {
    Block::current->waitForBlock();
}

unsigned waitForWarp(unsigned mask) {
    return Block::current->waitForWarp(mask);
}

void runBlocks(KilnState& state, KilnKernel const& kernel, void** parameters) {
    for (state.block.z = 0; state.block.z < state.gridExtent.z; ++state.block.z) {
        for (state.block.y = 0; state.block.y < state.gridExtent.y; ++state.block.y) {
            for (state.block.x = 0; state.block.x < state.gridExtent.x; ++state.block.x) {
                if (!Block(state, kernel, parameters).run()) {
                    std::fprintf(stderr,
                                 "[emulated GPU] %s: the threads of block %u wait for "
                                 "each other at different places\n",
                                 kernel.name, state.block.x);
                    loseDevice(CUDA_ERROR_LAUNCH_FAILED);
                    return;
                }
            }
        }
    }
}

} // namespace

void faultNextKernel(bool fault) {
    faultRequested = fault;
}

void runGrid(KilnState& state, KilnKernel const& kernel, KilnIndex grid, KilnIndex block,
             void** parameters) {
    if (faultRequested) {
        faultRequested = false;
        loseDevice(CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    state.gridExtent = grid;
    state.blockExtent = block;
    state.waitForBlock = &waitForBlock;
    state.waitForWarp = &waitForWarp;
    CUresult const result = catchFaults([&] { runBlocks(state, kernel, parameters); });
    if (result != CUDA_SUCCESS) {
        std::fprintf(stderr, "[emulated GPU] in %s, block (%u, %u, %u), thread (%u, %u, %u)\n",
                     kernel.name, state.block.x, state.block.y, state.block.z, state.thread.x,
                     state.thread.y, state.thread.z);
        loseDevice(result);
    }
}

} // namespace kiln::emulation
