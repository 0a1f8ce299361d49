// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IOutputAllocator: allocates outputs whose size is known only during a run.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/dims.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Allocates the memory of an output during IExecutionContext::enqueueV3(). Implemented by the
//! user, who overrides one of the two reallocate methods. It must outlive the context or be
//! replaced.
//!
//! Each run calls reallocateOutputAsync(), then notifyShape(), before enqueueV3() returns. One
//! object may serve several outputs of one context.
class IOutputAllocator : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IOutputAllocator", 1, 0};
    }

    //! Allocates memory for an output.
    //!
    //! \param tensorName name of the output; valid during the call only.
    //! \param currentMemory the current address of the output: the address that was set or the last
    //!     result. Return it again if it is large enough.
    //! \param size bytes needed; for an empty tensor 0, and any address except nullptr is valid.
    //! \param alignment bytes, a power of two.
    //!
    //! The last argument is the stream that writes the output, on cuda. The contents of
    //! currentMemory need not be preserved.
    //!
    //! \return The address, in memory of the target, owned by the user. nullptr fails the run.
    //!
    //! Default: reallocateOutput().
    virtual void* reallocateOutputAsync(char const* tensorName, void* currentMemory, uint64_t size,
                                        uint64_t alignment, cudaStream_t) {
        return reallocateOutput(tensorName, currentMemory, size, alignment);
    }

    //! Receives the shape of an output, in every run.
    //!
    //! \param tensorName name of the output; valid during the call only.
    //! \param dims its extents.
    virtual void notifyShape(char const* tensorName, Dims const& dims) noexcept = 0;

    //! As reallocateOutputAsync(), without a stream: the memory must be ready on return. Default:
    //! nullptr. Superseded by reallocateOutputAsync(); called only by its default.
    virtual void* reallocateOutput(char const*, void*, uint64_t, uint64_t) noexcept {
        return nullptr;
    }
};

} // namespace v_1_0

using IOutputAllocator = v_1_0::IOutputAllocator;

} // namespace nvinfer1

#pragma GCC visibility pop
