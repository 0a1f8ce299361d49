// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ALLOCATORS_H
#define KILN_API_ALLOCATORS_H

#include "kiln/api/cuda_types.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class AllocatorFlag : int32_t
{
    kRESIZABLE = 0,
};

namespace impl
{
template <>
struct EnumMaxImpl<AllocatorFlag>
{
    static constexpr int32_t kVALUE{1};
};
} // namespace impl

using AllocatorFlags = uint32_t;

namespace v_1_0
{
class IGpuAllocator : public IVersionedInterface
{
public:
    virtual void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept = 0;
    ~IGpuAllocator() noexcept override = default;
    constexpr IGpuAllocator() = default;
    virtual void* reallocate(void* const, uint64_t, uint64_t) noexcept
    {
        return nullptr;
    }
    virtual bool deallocate(void* memory) noexcept = 0;
    virtual void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
        cudaStream_t) noexcept
    {
        return allocate(size, alignment, flags);
    }
    virtual bool deallocateAsync(void* memory, cudaStream_t) noexcept
    {
        return deallocate(memory);
    }
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IGpuAllocator", 1, 0};
    }

protected:
    constexpr IGpuAllocator(IGpuAllocator const&) = default;
    constexpr IGpuAllocator(IGpuAllocator&&) = default;
    IGpuAllocator& operator=(IGpuAllocator const&) & = default;
    IGpuAllocator& operator=(IGpuAllocator&&) & = default;
};
} // namespace v_1_0

using IGpuAllocator = v_1_0::IGpuAllocator;

namespace v_1_0
{
class IGpuAsyncAllocator : public IGpuAllocator
{
public:
    constexpr IGpuAsyncAllocator() = default;
    ~IGpuAsyncAllocator() noexcept override = default;
    void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
        cudaStream_t) noexcept override = 0;
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override = 0;
    void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept override
    {
        return allocateAsync(size, alignment, flags, nullptr);
    }
    bool deallocate(void* memory) noexcept override
    {
        return deallocateAsync(memory, nullptr);
    }
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IGpuAllocator", 1, 0};
    }
};
} // namespace v_1_0

using IGpuAsyncAllocator = v_1_0::IGpuAsyncAllocator;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ALLOCATORS_H
