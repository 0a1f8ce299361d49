// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/weight_streaming.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "base/checked.h"
#include "runtime/host_step.h"
#include "runtime/upload.h"

namespace kiln::runtime {
namespace {

constexpr std::size_t kPadding = 64; // of constants in a plan

/// Tensors that only steps of the device read, each by its own pointer.
Table<plan::TensorId, bool> readByStepsAlone(plan::Document const& document) {
    Table<plan::TensorId, bool> read(document.tensors.size(), false);
    for (plan::StepRecord const& step : document.steps) {
        for (std::size_t number = 0; number < step.kernelCount(); ++number) {
            for (plan::TensorId const input : step.inputsAt(number)) {
                if (input != plan::kAbsent) {
                    read[input] = true;
                }
            }
        }
    }
    auto const exclude = [&](plan::TensorId tensor) {
        if (tensor != plan::kAbsent) {
            read[tensor] = false;
        }
    };
    for (plan::StepRecord const& step : document.steps) {
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            if (step.control.has_value() || isHostStep(document, step) ||
                (step.inputs[i] != plan::kAbsent && isHostOperand(document, step, i))) {
                exclude(step.inputs[i]);
            }
        }
        for (plan::Body const& body :
             step.control ? step.control->bodies : std::vector<plan::Body>()) {
            std::for_each(body.outputs.begin(), body.outputs.end(), exclude);
            exclude(body.condition);
        }
    }
    return read;
}

} // namespace

WeightStreaming::WeightStreaming(plan::Document const& document, target::Device& device,
                                 nvinfer1::IGpuAllocator* allocator)
    : document_(document), device_(device), allocator_(allocator),
      branches_(std::any_of(document.steps.begin(), document.steps.end(),
                            [](plan::StepRecord const& step) { return step.control.has_value(); })),
      blockOf_(document.tensors.size(), -1) {
    findBlocks();
    choose(streamableBytes_);
}

/// Constants with the same bytes in the plan are one block. Those that share bytes in another way
/// are not streamed, so that the engine needs no more memory than the plan has bytes: no plan that
/// Kiln writes has them. Nor are equal constants of an engine for refit, which may give them other
/// bytes.
void WeightStreaming::findBlocks() {
    Table<plan::TensorId, bool> const read = readByStepsAlone(document_);
    std::vector<plan::TensorId> order;
    for (plan::TensorId const i : document_.tensors.ids()) {
        plan::TensorRecord const& tensor = document_.tensors[i];
        if (tensor.role == plan::TensorRole::kConstant && tensor.constantBytes() > 0) {
            order.push_back(i);
        }
    }
    auto const dataOf = [&](plan::TensorId tensor) { return document_.tensors[tensor].data; };
    std::stable_sort(order.begin(), order.end(), [&](plan::TensorId a, plan::TensorId b) {
        return std::pair(dataOf(a).data(), dataOf(a).size()) <
               std::pair(dataOf(b).data(), dataOf(b).size());
    });
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1; // behind all that share bytes with the first one
        ByteView const data = dataOf(order[first]);
        std::byte const* end = data.data() + data.size();
        bool equal = true;
        for (; last < order.size() && !data.empty() && dataOf(order[last]).data() < end; ++last) {
            ByteView const other = dataOf(order[last]);
            equal = equal && other.data() == data.data() && other.size() == data.size();
            end = std::max(end, other.data() + other.size());
        }
        std::span const group(order.data() + first, last - first);
        if (equal && (group.size() == 1 || !document_.refittable) &&
            std::all_of(group.begin(), group.end(), [&](plan::TensorId i) { return read[i]; })) {
            addBlock(group);
        }
        first = last;
    }
}

void WeightStreaming::addBlock(std::span<plan::TensorId const> tensors) {
    for (plan::TensorId const tensor : tensors) {
        blockOf_[tensor] = static_cast<int32_t>(blocks_.size());
    }
    blocks_.push_back({tensors.front(), paddedBytes(tensors.front())});
    streamableBytes_ += blocks_.back().bytes;
}

std::size_t WeightStreaming::paddedBytes(plan::TensorId tensor) const {
    return roundUp(document_.tensors[tensor].constantBytes(), kPadding);
}

uint64_t WeightStreaming::budget() const {
    std::lock_guard const lock(mutex_);
    return budget_;
}

bool WeightStreaming::decidesLater() const {
    std::lock_guard const lock(mutex_);
    return decidesLater_;
}

void WeightStreaming::expectUnused() const {
    if (uses_ > 0) {
        fail(ErrorKind::kInvalidState,
             "[engine] '{}', weight streaming budget: expected no execution context, got {}. "
             "Destroy them first: the budget decides where their weights are.",
             document_.name, uses_);
    }
}

void WeightStreaming::setBudget(uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    expectUnused();
    decidesLater_ = false;
    choose(bytes);
}

void WeightStreaming::decideLater() {
    std::lock_guard const lock(mutex_);
    expectUnused();
    decidesLater_ = true;
}

/// Decides which blocks stay on the device.
void WeightStreaming::choose(uint64_t budget) {
    budget_ = std::min(budget, streamableBytes_);
    std::vector<std::size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks_[a].bytes < blocks_[b].bytes;
    });
    uint64_t left = budget_;
    for (std::size_t const i : order) {
        Block& block = blocks_[i];
        block.resident = block.bytes <= left;
        left = block.resident ? left - block.bytes : 0; // the others are not smaller
    }
    std::size_t offsets[2] = {};
    for (Block& block : blocks_) {
        std::size_t& end = offsets[block.resident ? 0 : 1];
        block.offset = end;
        end += block.bytes;
    }
}

std::vector<plan::TensorId> WeightStreaming::readBy(plan::StepRecord const& step,
                                                    std::size_t number) const {
    std::vector<plan::TensorId> read;
    for (plan::TensorId const input : step.inputsAt(number)) {
        if (input != plan::kAbsent && owns(input) &&
            std::find(read.begin(), read.end(), input) == read.end()) {
            read.push_back(input);
        }
    }
    return read;
}

/// Two slots for the largest step, so that one is filled while the other is read.
uint64_t WeightStreaming::scratchFor(std::vector<Block> const& blocks) const {
    uint64_t largest = 0;
    uint64_t count = 0;
    for (plan::StepRecord const& step : document_.steps) {
        uint64_t most = 0;
        for (std::size_t number = 0; number < step.kernelCount(); ++number) {
            std::set<int32_t> wanted;
            for (plan::TensorId const tensor : readBy(step, number)) {
                wanted.insert(blockOf_[tensor]);
            }
            uint64_t bytes = 0;
            for (int32_t const block : wanted) {
                Block const& own = blocks[static_cast<std::size_t>(block)];
                bytes += own.resident ? 0 : own.bytes;
            }
            most = std::max(most, bytes);
        }
        largest = std::max(largest, most);
        count += most > 0 ? 1 : 0;
    }
    return roundUp(largest, DeviceBuffer::kAlignment) *
           std::min<uint64_t>(count, branches_ ? 1 : 2);
}

uint64_t WeightStreaming::scratchBytes() const {
    std::lock_guard const lock(mutex_);
    return scratchFor(blocks_);
}

uint64_t WeightStreaming::mostScratchBytes() const {
    std::vector<Block> none = blocks_;
    for (Block& block : none) {
        block.resident = false;
    }
    return scratchFor(none);
}

uint64_t WeightStreaming::automaticBudget() const {
    uint64_t const free = device_.freeBytes();
    uint64_t const others =
        checkedAdd<uint64_t>(document_.arenaBytes, mostScratchBytes(), "memory of a context");
    uint64_t const spare = free / 10; // for memory that the program allocates later
    return std::min(streamableBytes_, free - std::min(free, checkedAdd(others, spare, "memory")));
}

void WeightStreaming::enter() {
    std::lock_guard const lock(mutex_);
    if (uses_ == 0) {
        if (decidesLater_) {
            uint64_t const all = automaticBudget();
            choose(all == streamableBytes_ ? all : 0);
        }
        place();
    }
    ++uses_;
}

void WeightStreaming::leave() noexcept {
    std::lock_guard const lock(mutex_);
    if (--uses_ == 0) {
        DeviceBuffer const resident = std::move(resident_);
        PinnedMemory const streamed = std::move(streamed_);
    }
}

void WeightStreaming::place() {
    if (device_.isHost() || blocks_.empty()) {
        return;
    }
    target::DeviceScope const scope(device_);
    std::size_t bytes[2] = {};
    for (Block const& block : blocks_) {
        bytes[block.resident ? 0 : 1] += block.bytes;
    }
    PinnedMemory streamed(device_, bytes[1]);
    DeviceBuffer resident(
        device_, bytes[0],
        fmt::format("weights of engine '{}' that are not streamed", document_.name), allocator_);
    Upload upload(device_);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block const& block = blocks_[i];
        ByteView const data = document_.tensors[block.tensor].data;
        if (!block.resident) {
            std::memcpy(streamed.data() + block.offset, data.data(), data.size());
        } else {
            upload.add(static_cast<std::byte*>(resident.data()) + block.offset, data.data(),
                       data.size());
        }
    }
    upload.start();
    upload.finish();
    resident_ = std::move(resident);
    streamed_ = std::move(streamed);
}

void* WeightStreaming::address(plan::TensorId tensor) const {
    Block const& block = blockOf(tensor);
    return block.resident ? static_cast<std::byte*>(resident_.data()) + block.offset : nullptr;
}

ByteView WeightStreaming::source(plan::TensorId tensor) const {
    return {streamed_.data() + blockOf(tensor).offset, document_.tensors[tensor].constantBytes()};
}

/// Copies over the old elements, so that a refit needs no more memory than the engine.
void WeightStreaming::refresh(std::span<plan::TensorId const> tensors) {
    std::lock_guard const lock(mutex_);
    if (uses_ == 0 || device_.isHost()) {
        return; // the next context takes them
    }
    bool copied = false;
    for (plan::TensorId const tensor : tensors) {
        if (!isStreamable(tensor)) {
            continue;
        }
        Block const& block = blockOf(tensor);
        ByteView const data = document_.tensors[tensor].data;
        if (data.size() > block.bytes) {
            fail(ErrorKind::kInternal,
                 "[engine] constant '{}': expected at most {} bytes, got {}. Report this as a "
                 "defect of Kiln.",
                 document_.tensors[tensor].name, block.bytes, data.size());
        }
        if (!block.resident) {
            std::memcpy(streamed_.data() + block.offset, data.data(), data.size());
            continue;
        }
        device_.copy(address(tensor), data.data(), data.size(), target::CopyKind::kHostToDevice,
                     nullptr);
        copied = true;
    }
    if (copied) {
        device_.synchronize(nullptr); // contexts run on other streams
    }
}

} // namespace kiln::runtime
