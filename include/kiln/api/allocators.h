// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IGpuAllocator: where the memory of a target comes from.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Wishes of the caller of an allocation.
enum class AllocatorFlag : int32_t {
    kRESIZABLE = 0, //!< The block may be passed to IGpuAllocator::reallocate() later.
};

template <>
constexpr int32_t EnumMax<AllocatorFlag>() noexcept {
    return 1;
}

//! A set of AllocatorFlag: bit i, `1U << i`, stands for the flag of value i.
using AllocatorFlags = uint32_t;

namespace v_1_0 {

//! Gives out memory of the target: of the GPU on cuda, of the host on cpu. Implemented by the user.
//!
//! It must outlive the runtime, builder or context that it is set on, and everything made by them.
//! All methods may be called from several threads at once.
class IGpuAllocator : public IVersionedInterface {
public:
    //! Gives out a block.
    //!
    //! \param size bytes; 0 gives nullptr.
    //! \param alignment bytes, a power of two; 0 leaves the choice to the allocator.
    //! \param flags wishes; an allocator that knows none of them may ignore them.
    //!
    //! \return The block, or nullptr when there is none; the calling operation then fails.
    //!
    //! Superseded by allocateAsync(), which Kiln calls and which ends here by default.
    virtual void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept = 0;

    ~IGpuAllocator() noexcept override = default;
    constexpr IGpuAllocator() = default;

    //! Makes a block larger, at its place or at another, and keeps its contents.
    //!
    //! The arguments are the block (allocated with kRESIZABLE), its alignment as before, and the
    //! new size in bytes.
    //!
    //! \return The block's address from now on. nullptr, the default, when that can not be done;
    //!     the old block is then untouched.
    virtual void* reallocate(void* const, uint64_t, uint64_t) noexcept { return nullptr; }

    //! Takes a block back.
    //!
    //! \param memory a block of this allocator that is no longer used; nullptr is allowed.
    //!
    //! \return false when the block is not one of this allocator's.
    //!
    //! Superseded by deallocateAsync(), which Kiln calls and which ends here by default.
    virtual bool deallocate(void* memory) noexcept = 0;

    //! Gives out a block that may be used by work that is put into a stream afterwards.
    //!
    //! \param size, alignment, flags as in allocate(). The last argument is the stream, 0 on cpu.
    //!
    //! Default: allocate().
    virtual void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
                                cudaStream_t) noexcept {
        return allocate(size, alignment, flags);
    }

    //! Takes a block back once the work that is now in the stream is done.
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

    //! Gives back on stream 0.
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
