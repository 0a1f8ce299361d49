// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IGpuAllocator: the source of device memory.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Requirements of an allocation.
enum class AllocatorFlag : int32_t {
    kRESIZABLE = 0, //!< The block may be passed to IGpuAllocator::reallocate() later.
};

template <>
constexpr int32_t EnumMax<AllocatorFlag>() noexcept {
    return 1;
}

//! Bit mask of AllocatorFlag: bit `1U << i` is the flag with value i.
using AllocatorFlags = uint32_t;

namespace v_1_0 {

//! Allocates memory of the target: GPU memory on cuda, host memory on cpu. Implemented by the user.
//!
//! It must outlive the runtime, builder or context that it is set on, and everything they create.
//! All methods must be thread-safe.
class IGpuAllocator : public IVersionedInterface {
public:
    //! Allocates a block.
    //!
    //! \param size bytes; for 0, return nullptr.
    //! \param alignment bytes, a power of two; 0 leaves the choice to the allocator.
    //! \param flags may be ignored.
    //!
    //! \return The block, or nullptr on failure; the calling operation then fails.
    //!
    //! Superseded by allocateAsync(). Kiln calls that one; its default calls this method.
    virtual void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept = 0;

    ~IGpuAllocator() noexcept override = default;
    constexpr IGpuAllocator() = default;

    //! Enlarges a block, in place or by moving it, and keeps its contents. Kiln does not call it.
    //!
    //! The arguments are the block (allocated with kRESIZABLE), its original alignment, and the new
    //! size in bytes.
    //!
    //! \return The new address of the block. nullptr, the default, on failure; the old block then
    //!     remains valid.
    virtual void* reallocate(void* const, uint64_t, uint64_t) noexcept { return nullptr; }

    //! Releases a block.
    //!
    //! \param memory a block of this allocator that is not in use; may be nullptr.
    //!
    //! \return false when the block does not belong to this allocator.
    //!
    //! Superseded by deallocateAsync(). Kiln calls that one; its default calls this method.
    virtual bool deallocate(void* memory) noexcept = 0;

    //! Allocates a block for work that is enqueued on a stream afterwards.
    //!
    //! \param size, alignment, flags as in allocate(). The last argument is the stream, 0 on cpu.
    //!
    //! Default: allocate().
    virtual void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
                                cudaStream_t) noexcept {
        return allocate(size, alignment, flags);
    }

    //! Releases a block after the work already enqueued on the stream has completed.
    //!
    //! Default: deallocate().
    virtual bool deallocateAsync(void* memory, cudaStream_t) noexcept { return deallocate(memory); }

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IGpuAllocator", 1, 0};
    }

protected:
    constexpr IGpuAllocator(IGpuAllocator const&) = default;
    constexpr IGpuAllocator(IGpuAllocator&&) = default;
    IGpuAllocator& operator=(IGpuAllocator const&) & = default;
    IGpuAllocator& operator=(IGpuAllocator&&) & = default;
};

//! An allocator that implements the two stream-ordered methods only. Implemented by the user.
class IGpuAsyncAllocator : public IGpuAllocator {
public:
    constexpr IGpuAsyncAllocator() = default;
    ~IGpuAsyncAllocator() noexcept override = default;

    //! See IGpuAllocator::allocateAsync().
    void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
                        cudaStream_t) noexcept override = 0;

    //! See IGpuAllocator::deallocateAsync().
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override = 0;

    //! Allocates on stream 0.
    void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept override {
        return allocateAsync(size, alignment, flags, nullptr);
    }

    //! Releases on stream 0.
    bool deallocate(void* memory) noexcept override { return deallocateAsync(memory, nullptr); }

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IGpuAllocator", 1, 0};
    }
};

} // namespace v_1_0

using IGpuAllocator = v_1_0::IGpuAllocator;
using IGpuAsyncAllocator = v_1_0::IGpuAsyncAllocator;

} // namespace nvinfer1

#pragma GCC visibility pop
