// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "runtime/device_buffer.h"
#include "runtime/engine.h"

namespace kiln::runtime {

/// Who allocates the memory of a context's internal tensors and workspaces, and when.
enum class MemoryStrategy {
    kOnce,       ///< the context, when it is made: enough for all profiles
    kPerProfile, ///< the context, for each profile that it is switched to
    kUser,       ///< the user
};

/// The memory of a context and the places in it: scratch memory of a fixed size for streamed
/// weights, then the arena, with internal tensors and workspaces. Memory that is too small for all
/// profiles may suffice for one, and such that is too small for a profile may suffice for the
/// current shapes.
class ContextMemory {
public:
    /// `engine` and `allocator` must outlive the object; `allocator` null: memory of the target.
    ContextMemory(Engine const& engine, MemoryStrategy strategy, nvinfer1::IGpuAllocator* allocator,
                  uint64_t scratchBytes);

    MemoryStrategy strategy() const noexcept { return strategy_; }
    void* scratch() const noexcept { return data_; }
    void* arena() const noexcept { return data_ == nullptr ? nullptr : data_ + scratchBytes_; }
    /// The places; null: those of the plan.
    MemoryLayout const* layout() const noexcept { return layout_.get(); }
    /// Bytes that scratch memory and the places need.
    uint64_t needed() const noexcept;
    /// Bytes for the arena in memory of so many.
    uint64_t arenaPart(uint64_t bytes) const noexcept {
        return bytes - std::min(bytes, scratchBytes_);
    }
    /// Whether there is no memory yet.
    bool isMissing() const noexcept { return data_ == nullptr && needed() > 0; }

    /// Prepares for a profile, of which no run is under way on `stream` when this returns. Throws
    /// kOutOfMemory; the next call for the profile tries again.
    void use(int32_t profile, target::StreamHandle stream);
    /// Whether use() has been called for the profile, if that matters.
    bool isFor(int32_t profile) const noexcept {
        return strategy_ != MemoryStrategy::kPerProfile || profile_ == profile;
    }
    /// Takes memory of the user, of unknown or known size, instead of own memory. Throws
    /// kInvalidArgument for memory that the target cannot use, or whose arena has less than `least`
    /// bytes.
    void give(void* memory, std::optional<uint64_t> bytes, uint64_t least);
    /// Whether the places depend on the shapes: the user's memory is too small for a profile, or of
    /// unknown size.
    bool followsShapes(int32_t profile) const;
    /// Takes places for shapes. Throws kInvalidState if the memory is too small.
    void place(std::shared_ptr<MemoryLayout const> layout);

private:
    void allocate(uint64_t arenaBytes);

    Engine const& engine_;
    MemoryStrategy strategy_;
    nvinfer1::IGpuAllocator* allocator_;
    DeviceBuffer own_;
    uint64_t scratchBytes_; ///< aligned
    std::byte* data_ = nullptr;
    uint64_t arenaBytes_ = 0;
    bool isSized_ = true; ///< else arenaBytes_ means nothing
    std::shared_ptr<MemoryLayout const> layout_;
    std::optional<int32_t> profile_; ///< that own_ is for
};

} // namespace kiln::runtime
