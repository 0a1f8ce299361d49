// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/context_memory.h"

#include "base/checked.h"
#include "runtime/bindings.h"

namespace kiln::runtime {

ContextMemory::ContextMemory(Engine const& engine, MemoryStrategy strategy,
                             nvinfer1::IGpuAllocator* allocator, uint64_t scratchBytes)
    : engine_(engine), strategy_(strategy), allocator_(allocator),
      scratchBytes_(roundUp(scratchBytes, DeviceBuffer::kAlignment)) {
    if (strategy == MemoryStrategy::kOnce) {
        allocate(engine.document().arenaBytes);
    } else if (strategy == MemoryStrategy::kPerProfile) {
        use(0, nullptr);
    }
}

uint64_t ContextMemory::needed() const noexcept {
    return scratchBytes_ + (layout_ == nullptr ? engine_.document().arenaBytes : layout_->bytes);
}

void ContextMemory::allocate(uint64_t arenaBytes) {
    std::string const what =
        fmt::format("the arena of an execution context of engine '{}'", engine_.document().name);
    own_ = DeviceBuffer(engine_.device(), scratchBytes_ + arenaBytes, what, allocator_);
    data_ = static_cast<std::byte*>(own_.data());
    arenaBytes_ = arenaBytes;
}

void ContextMemory::use(int32_t profile, target::StreamHandle stream) {
    if (strategy_ == MemoryStrategy::kUser) {
        bool const all = isSized_ && arenaBytes_ >= engine_.document().arenaBytes;
        layout_ = all ? nullptr : engine_.layoutFor(profile);
        return;
    }
    if (strategy_ != MemoryStrategy::kPerProfile || profile_ == profile) {
        return;
    }
    auto layout = engine_.layoutFor(profile);
    if (own_.data() != nullptr) {
        engine_.device().synchronize(stream); // a run may still use what is freed here
    }
    profile_.reset();
    data_ = nullptr;
    arenaBytes_ = 0;
    own_ = DeviceBuffer(); // before the new memory: both at once may be too much
    layout_ = std::move(layout);
    allocate(layout_->bytes);
    profile_ = profile;
}

void ContextMemory::give(void* memory, std::optional<uint64_t> bytes, uint64_t least) {
    uint64_t const needed = scratchBytes_ + least;
    checkArena(engine_.device(), needed, memory, bytes.value_or(needed));
    own_ = DeviceBuffer();
    strategy_ = MemoryStrategy::kUser;
    data_ = static_cast<std::byte*>(memory);
    arenaBytes_ = arenaPart(bytes.value_or(0));
    isSized_ = bytes.has_value();
}

bool ContextMemory::followsShapes(int32_t profile) const {
    return strategy_ == MemoryStrategy::kUser && data_ != nullptr &&
           (!isSized_ || (arenaBytes_ < engine_.document().arenaBytes &&
                          arenaBytes_ < engine_.layoutFor(profile)->bytes));
}

void ContextMemory::place(std::shared_ptr<MemoryLayout const> layout) {
    if (isSized_ && layout->bytes > arenaBytes_) {
        fail(ErrorKind::kInvalidState,
             "[run] device memory: expected {} bytes or more for the shapes of the inputs, got {}. "
             "Ask the context to update its device memory size for the shapes, and set as much.",
             scratchBytes_ + layout->bytes, scratchBytes_ + arenaBytes_);
    }
    layout_ = std::move(layout);
}

} // namespace kiln::runtime
