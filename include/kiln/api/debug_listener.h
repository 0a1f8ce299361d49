// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IDebugListener: receives the values of intermediate tensors.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Receives tensors that were marked with INetworkDefinition::markDebug() before the engine was
//! built and are switched on with IExecutionContext::setTensorDebugState(). Implemented by the
//! user. It must outlive the context or be replaced.
class IDebugListener : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IDebugListener", 1, 0};
    }

    //! Receives one tensor. Called during a run, on the thread that runs the context.
    //!
    //! \param addr the values, in row-major order, read-only. Valid during the call and, on cuda,
    //!     for work that the callback enqueues on the stream.
    //! \param location the memory that addr points to.
    //! \param type, shape of the tensor in this run.
    //! \param name of the tensor; valid during the call only.
    //! \param stream the stream that computes the tensor, on cuda; the values are available after
    //!     the work enqueued so far has completed.
    //!
    //! \return true to continue; false fails the run.
    virtual bool processDebugTensor(void const* addr, TensorLocation location, DataType type,
                                    Dims const& shape, char const* name, cudaStream_t stream) = 0;

    ~IDebugListener() noexcept override = default;
};

} // namespace v_1_0

using IDebugListener = v_1_0::IDebugListener;

} // namespace nvinfer1

#pragma GCC visibility pop
