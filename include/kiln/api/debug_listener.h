// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IDebugListener: the values of intermediate tensors.
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
//! user. It must outlive the context, or be replaced there.
class IDebugListener : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IDebugListener", 1, 0};
    }

    //! Takes one tensor. Called while the context runs, on its thread.
    //!
    //! \param addr the values, in row-major order; valid until the call returns and, on cuda, for
    //!     work that it puts into the stream. Not to be written to.
    //! \param location which memory addr is in.
    //! \param type, shape of the tensor in this run.
    //! \param name of the tensor; valid during the call only.
    //! \param stream that computes the tensor, on cuda; the values are there when the work before
    //!     this point is done.
    //!
    //! \return false fails the execution.
    virtual bool processDebugTensor(void const* addr, TensorLocation location, DataType type,
                                    Dims const& shape, char const* name, cudaStream_t stream) = 0;

    ~IDebugListener() noexcept override = default;
};

} // namespace v_1_0

using IDebugListener = v_1_0::IDebugListener;

} // namespace nvinfer1

#pragma GCC visibility pop
