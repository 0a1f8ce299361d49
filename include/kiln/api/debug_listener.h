// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_DEBUG_LISTENER_H
#define KILN_API_DEBUG_LISTENER_H

#include "kiln/api/cuda_types.h"
#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IDebugListener : public IVersionedInterface
{
public:
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IDebugListener", 1, 0};
    }
    virtual bool processDebugTensor(void const* addr, TensorLocation location, DataType type,
        Dims const& shape, char const* name, cudaStream_t stream) = 0;
    ~IDebugListener() noexcept override = default;
};
} // namespace v_1_0

using IDebugListener = v_1_0::IDebugListener;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_DEBUG_LISTENER_H
