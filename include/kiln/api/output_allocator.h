// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_OUTPUT_ALLOCATOR_H
#define KILN_API_OUTPUT_ALLOCATOR_H

#include "kiln/api/cuda_types.h"
#include "kiln/api/dims.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IOutputAllocator : public IVersionedInterface
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IOutputAllocator", 1, 0};
    }
    virtual void* reallocateOutputAsync(char const* tensorName, void* currentMemory,
        uint64_t size, uint64_t alignment, cudaStream_t)
    {
        return reallocateOutput(tensorName, currentMemory, size, alignment);
    }
    virtual void notifyShape(char const* tensorName, Dims const& dims) noexcept = 0;
    virtual void* reallocateOutput(char const*, void*, uint64_t, uint64_t) noexcept
    {
        return nullptr;
    }
};
} // namespace v_1_0

using IOutputAllocator = v_1_0::IOutputAllocator;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_OUTPUT_ALLOCATOR_H
