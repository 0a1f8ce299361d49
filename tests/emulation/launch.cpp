// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A fiber runs one thread after another until one waits. A waiting thread keeps its fiber, and the
// next thread gets another one. So kernels without barriers run as a plain loop. A waiting thread
// switches to the next one directly. With a random order, threads begin and go on in any order, and
// so do blocks.
#include "emulation/launch.h"

#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "emulation/async_copies.h"
#include "emulation/block_order.h"
#include "emulation/chance.h"
#include "emulation/faults.h"
#include "emulation/fibers.h"
#include "emulation/memory.h"
#include "emulation/shared_memory.h"

namespace kiln::emulation {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kMostThreads = 1024;
// Beside lanes, what a thread that waits for its warp may want.
constexpr unsigned kVotes = 32;
constexpr unsigned kNothing = 33;

bool faultRequested = false;

/// The running block. There is only one at a time: every call holds the device's lock.
class Block {
public:
    /// Returns false if the threads wait for each other forever.
    bool run(KilnState& state, KilnKernel const& kernel, void** parameters) {
        state_ = &state;
        kernel_ = &kernel;
        parameters_ = parameters;
        threads_ = state.blockExtent.x * state.blockExtent.y * state.blockExtent.z;
        started_ = atBarrier_ = firstReady_ = ready_ = 0;
        running_ = threads_;
        chance_ = randomOrder();
        std::iota(order_, order_ + threads_, 0U);
        shuffle(order_, threads_);
        for (unsigned first = 0; first < threads_; first += kLanes) {
            Warp& warp = warps_[first / kLanes];
            unsigned const lanes = threads_ - first;
            warp.running = lanes < kLanes ? (1U << lanes) - 1 : ~0U;
            warp.arrived = warp.waiting = 0;
        }
        if (free_.size() != fibers_.size()) { // a kernel has failed, or its threads waited forever
            free_ = fibers_;
        }
        leave(main_);
        return running_ == 0;
    }

    void waitForBlock() {
        barrier_[atBarrier_++] = fiber_;
        releaseBarrier();
        leave(*fiber_);
    }

    /// Returns the lanes of the mask that are still running. state.received then has the value in
    /// state.slots of the lane `source`, or kVotes: a bit for each lane whose slot is not 0.
    unsigned waitForWarp(unsigned mask, unsigned source) {
        Fiber& fiber = *fiber_;
        Warp& warp = warps_[fiber.thread / kLanes];
        fiber.mask = mask;
        fiber.source = source;
        warp.sameMask = warp.waiting == 0 || (warp.sameMask && warp.fibers[0]->mask == mask);
        warp.fibers[warp.waiting++] = &fiber;
        warp.arrived |= 1U << fiber.thread % kLanes;
        if ((mask >> fiber.thread % kLanes & 1U) == 0) {
            std::fprintf(stderr,
                         "[emulated GPU] thread %u waits for others of its warp, and is not "
                         "among the threads that wait\n",
                         fiber.thread);
            loseDevice(CUDA_ERROR_LAUNCH_FAILED);
        }
        if (!warp.sameMask || (mask & warp.running & ~warp.arrived) == 0) {
            releaseWarp(warp);
        }
        leave(fiber);
        return mask & warp.running;
    }

private:
    struct Warp {
        unsigned running; ///< lanes that have not returned
        unsigned arrived;
        unsigned waiting;
        bool sameMask; ///< all that wait have the same mask
        Fiber* fibers[kLanes];
    };

    /// The fiber that continues now: a thread that need not wait, the next threads, or run().
    Fiber& next() {
        bool const starts = started_ < threads_ && chance_ != nullptr && chance_->below(2) != 0;
        if (ready_ > 0 && !starts) {
            if (chance_ != nullptr) {
                std::swap(queue_[firstReady_ % kMostThreads],
                          queue_[(firstReady_ + chance_->below(ready_)) % kMostThreads]);
            }
            Fiber& fiber = *queue_[firstReady_++ % kMostThreads];
            --ready_;
            state_->thread = fiber.index;
            return fiber;
        }
        if (started_ == threads_) {
            return main_;
        }
        if (free_.empty()) {
            fibers_.push_back(new Fiber);
            free_.push_back(fibers_.back());
        }
        Fiber& fiber = *free_.back();
        free_.pop_back();
        prepare(fiber, &Block::runThreads);
        return fiber;
    }

    void leave(Fiber& from) {
        Fiber& to = next();
        fiber_ = &to;
        if (&to != &from) {
            switchFibers(from, to);
        }
    }

    static void runThreads();

    void runOneThread() {
        Fiber& fiber = *fiber_;
        fiber.thread = order_[started_++];
        KilnIndex const extent = state_->blockExtent;
        fiber.index.x = fiber.thread % extent.x;
        fiber.index.y = fiber.thread / extent.x % extent.y;
        fiber.index.z = fiber.thread / extent.x / extent.y;
        state_->thread = fiber.index;
        kernel_->call(kernel_->function, parameters_);
        --running_;
        Warp& warp = warps_[fiber.thread / kLanes];
        warp.running &= ~(1U << fiber.thread % kLanes);
        releaseWarp(warp);
        releaseBarrier();
    }

    template <typename T>
    void shuffle(T* values, unsigned count) {
        for (unsigned i = count; chance_ != nullptr && i > 1; --i) {
            std::swap(values[i - 1], values[chance_->below(i)]);
        }
    }

    void makeReady(Fiber& fiber) { queue_[(firstReady_ + ready_++) % kMostThreads] = &fiber; }

    /// Threads that have returned count as arrived.
    void releaseBarrier() {
        if (atBarrier_ == running_) {
            for (unsigned i = 0; i < atBarrier_; ++i) {
                makeReady(*barrier_[i]);
            }
            atBarrier_ = 0;
        }
    }

    void releaseWarp(Warp& warp) {
        unsigned still = 0;
        unsigned left = warp.arrived;
        for (unsigned i = 0; i < warp.waiting; ++i) {
            Fiber& fiber = *warp.fibers[i];
            if ((fiber.mask & warp.running & ~warp.arrived) == 0) {
                receive(fiber, warp);
                makeReady(fiber);
                left &= ~(1U << fiber.thread % kLanes);
            } else {
                warp.fibers[still++] = &fiber;
            }
        }
        warp.waiting = still;
        warp.arrived = left;
    }

    void receive(Fiber const& fiber, Warp const& warp) {
        unsigned long long const* const slots = state_->slots + fiber.thread / kLanes * kLanes;
        unsigned long long& received = state_->received[fiber.thread];
        if (fiber.source < kLanes) {
            received = slots[fiber.source];
        } else if (fiber.source == kVotes) {
            received = 0;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                if ((fiber.mask & warp.running) >> lane & 1U) {
                    received |= static_cast<unsigned long long>(slots[lane] != 0) << lane;
                }
            }
        }
    }

    KilnState* state_ = nullptr;
    KilnKernel const* kernel_ = nullptr;
    void** parameters_ = nullptr;
    unsigned threads_ = 0;
    unsigned started_ = 0;
    unsigned running_ = 0;
    Warp warps_[kMostThreads / kLanes]{};
    unsigned atBarrier_ = 0;
    Fiber* barrier_[kMostThreads]{};
    unsigned firstReady_ = 0;
    unsigned ready_ = 0;
    Fiber* queue_[kMostThreads]{};
    std::vector<Fiber*> fibers_; ///< kept for the next launch
    std::vector<Fiber*> free_;
    Fiber main_;
    Fiber* fiber_ = nullptr;
    Chance* chance_ = nullptr;
    unsigned order_[kMostThreads]{}; ///< in which threads start
};

/// Never destroyed: threads of the program may end after static objects.
Block& block() {
    static auto* const one = new Block;
    return *one;
}

void Block::runThreads() {
    Block& self = block();
    while (self.started_ < self.threads_) {
        self.runOneThread();
    }
    self.free_.push_back(self.fiber_);
    self.leave(*self.fiber_);
}

void waitForBlock() {
    block().waitForBlock();
}

unsigned waitForWarp(unsigned mask) {
    return block().waitForWarp(mask, kNothing);
}

void exchange(unsigned mask, unsigned lane) {
    block().waitForWarp(mask, lane);
}

void vote(unsigned mask) {
    block().waitForWarp(mask, kVotes);
}

/// Device memory is out of reach until the kernel waits for those in front of it.
bool awaitsInputs = false;

void waitForInputs() {
    if (std::exchange(awaitsInputs, false)) {
        openDeviceMemory();
    }
}

bool runBlock(KilnState& state, KilnKernel const& kernel, void** parameters) {
    forgetSharedMemory(state);
    forgetAsyncCopies();
    char const* problem = nullptr;
    if (!block().run(state, kernel, parameters)) {
        problem = "its threads wait for each other at different places";
    } else if (wroteBehindSharedMemory(state)) {
        problem = "it writes beyond the shared memory of its launch";
    } else if (awaitsInputs) {
        problem = "it may begin before the kernel in front has ended, and does not wait for it";
    }
    if (problem != nullptr) {
        std::fprintf(stderr, "[emulated GPU] %s, block (%u, %u, %u): %s\n", kernel.name,
                     state.block.x, state.block.y, state.block.z, problem);
        loseDevice(CUDA_ERROR_LAUNCH_FAILED);
    }
    return lostWith() == CUDA_SUCCESS;
}

void runBlocks(KilnState& state, KilnKernel const& kernel, void** parameters) {
    KilnIndex const grid = state.gridExtent;
    BlockOrder const order(uint64_t{grid.x} * grid.y * grid.z, randomOrder());
    for (uint64_t i = 0; i < order.count(); ++i) {
        uint64_t const number = order.at(i);
        state.block.x = static_cast<unsigned>(number % grid.x);
        state.block.y = static_cast<unsigned>(number / grid.x % grid.y);
        state.block.z = static_cast<unsigned>(number / grid.x / grid.y);
        if (!runBlock(state, kernel, parameters)) {
            return;
        }
    }
}

} // namespace

void faultNextKernel(bool fault) {
    faultRequested = fault;
}

void runGrid(KilnState& state, KilnKernel const& kernel, KilnIndex grid, KilnIndex block,
             void** parameters, LaunchConditions conditions) {
    if (faultRequested) {
        faultRequested = false;
        loseDevice(CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    state.gridExtent = grid;
    state.blockExtent = block;
    state.waitForBlock = &waitForBlock;
    state.waitForWarp = &waitForWarp;
    state.exchange = &exchange;
    state.vote = &vote;
    state.waitForInputs = &waitForInputs;
    provideAsyncCopies(state);
    provideSharedMemory(state, conditions.sharedBytes);
    awaitsInputs = conditions.overlaps && randomOrder() != nullptr;
    if (awaitsInputs) {
        closeDeviceMemory();
    }
    CUresult const result = catchFaults([&] { runBlocks(state, kernel, parameters); });
    if (result != CUDA_SUCCESS) {
        std::fprintf(stderr, "[emulated GPU] in %s, block (%u, %u, %u), thread (%u, %u, %u)\n",
                     kernel.name, state.block.x, state.block.y, state.block.z, state.thread.x,
                     state.thread.y, state.thread.z);
        loseDevice(result);
    }
    waitForInputs();
}

} // namespace kiln::emulation
