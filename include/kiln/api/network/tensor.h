// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/macros.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/tensor_enums.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Bit mask of TensorFormat: bit 1U << int(format) allows a format.
using TensorFormats = uint32_t;

//! A tensor of a network: a network input or an output of a layer.
//!
//! The network owns its tensors; do not delete them. Pointers stay valid until the network is
//! destroyed or INetworkDefinition::removeTensor() removes the tensor.
class ITensor : public INoCopy {
public:
    ~ITensor() noexcept override = default;

    //! Sets the name. Inputs and outputs of a network need unique names, which identify them in
    //! ICudaEngine and IExecutionContext.
    //! \param name null-terminated, copied; at most 4096 bytes including the terminator.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. Generated if none was set. Valid until the name changes or the network
    //! is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Sets the dimensions of a network input; -1 marks an extent that is known only at run time.
    //! For other tensors, logs an error and changes nothing.
    virtual void setDimensions(Dims const& dimensions) noexcept = 0;

    //! The dimensions, derived from the inputs of the network; -1 marks an extent that is known
    //! only at run time. nbDims is -1 if the shape cannot be derived; the cause is logged.
    virtual Dims getDimensions() const noexcept = 0;

    //! The element type: the one given for a network input, else derived from the layer.
    virtual DataType getType() const noexcept = 0;

    //! True if the tensor came from INetworkDefinition::addInput().
    virtual bool isNetworkInput() const noexcept = 0;

    //! True if INetworkDefinition::markOutput() marked the tensor.
    virtual bool isNetworkOutput() const noexcept = 0;

    //! Has no effect: the batch is an ordinary dimension.
    TRT_DEPRECATED virtual void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept = 0;

    //! Always false: the batch is an ordinary dimension.
    TRT_DEPRECATED virtual bool getBroadcastAcrossBatch() const noexcept = 0;

    //! Always kDEVICE. ICudaEngine::getTensorLocation() returns the location in a built engine.
    virtual TensorLocation getLocation() const noexcept = 0;

    //! kHOST is refused with an error, kDEVICE has no effect: the use of a tensor determines its
    //! location.
    TRT_DEPRECATED virtual void setLocation(TensorLocation location) noexcept = 0;

    //! Restricts the memory formats of a network input or output.
    //! \param formats bits 1U << int(TensorFormat). Default: only TensorFormat::kLINEAR. Has no
    //!     effect for other tensors.
    virtual void setAllowedFormats(TensorFormats formats) noexcept = 0;

    //! The mask that setAllowedFormats() set, or the default.
    virtual TensorFormats getAllowedFormats() const noexcept = 0;

    //! True if the tensor's values are used as a shape (for example by the second input of
    //! IShuffleLayer) and must be known when shapes are computed. Such a tensor has at most one
    //! dimension and is kINT32, kINT64, kFLOAT or kBOOL. The result can change as layers are added.
    virtual bool isShapeTensor() const noexcept = 0;

    //! True if the tensor's values are computed during a run. Always true; a shape tensor is also
    //! an execution tensor.
    virtual bool isExecutionTensor() const noexcept = 0;

    //! Names a dimension of a network input. Dimensions with the same name must have the same
    //! extent at run time; optimizations may rely on that.
    //! \param index 0 .. rank - 1.
    //! \param name null-terminated, copied; null removes the name.
    virtual void setDimensionName(int32_t index, char const* name) noexcept = 0;

    //! The name of a dimension; null if it has none. Only network inputs have dimension names.
    //! Lifetime as for getName().
    virtual char const* getDimensionName(int32_t index) const noexcept = 0;

    //! Sets the type of a network input or output. An output of another type is converted. In a
    //! strongly typed network only inputs have a settable type; for other tensors an error is
    //! logged.
    TRT_DEPRECATED virtual void setType(DataType type) noexcept = 0;

    //! Sets the range of values, for layers that compute in INT8 without calibration: see
    //! BuilderFlag::kINT8. The scale is the larger magnitude of both ends, divided by 127.
    //! \param min, max finite, min <= max.
    //! \return false, with a logged error, if the range is none.
    TRT_DEPRECATED virtual bool setDynamicRange(float min, float max) noexcept = 0;

    //! True if setDynamicRange() set a range.
    TRT_DEPRECATED virtual bool dynamicRangeIsSet() const noexcept = 0;

    //! Forgets the range.
    virtual void resetDynamicRange() noexcept = 0;

    //! The lower end of the range; 0 if none was set.
    virtual float getDynamicRangeMin() const noexcept = 0;

    //! The upper end of the range; 0 if none was set.
    virtual float getDynamicRangeMax() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
