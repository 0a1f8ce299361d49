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

//! A value that flows through a network: a network input or an output of a layer.
//!
//! The network owns its tensors; a pointer stays valid until the network is destroyed or
//! INetworkDefinition::removeTensor() removes the tensor. Do not delete one.
class ITensor : public INoCopy {
public:
    ~ITensor() noexcept override = default;

    //! Names the tensor. Inputs and outputs of a network need unique names, by which
    //! ICudaEngine and IExecutionContext know them.
    //! \param name zero-terminated, copied; at most 4096 bytes with the zero.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. A tensor that was given none has a generated name. Valid until the
    //! name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Sets the dimensions of a network input; -1 marks an extent that is known at run time only.
    //! For any other tensor an error is logged and nothing changes.
    virtual void setDimensions(Dims const& dimensions) noexcept = 0;

    //! The dimensions, derived from the inputs of the network; -1 marks an extent that is known at
    //! run time only. nbDims is -1 when the shape cannot be derived; the cause is logged.
    virtual Dims getDimensions() const noexcept = 0;

    //! The element type: the one given for a network input, else derived from the layer.
    virtual DataType getType() const noexcept = 0;

    //! True if the tensor came from INetworkDefinition::addInput().
    virtual bool isNetworkInput() const noexcept = 0;

    //! True if INetworkDefinition::markOutput() marked the tensor.
    virtual bool isNetworkOutput() const noexcept = 0;

    //! Without effect: the batch is an ordinary dimension.
    TRT_DEPRECATED virtual void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept = 0;

    //! Always false: the batch is an ordinary dimension.
    TRT_DEPRECATED virtual bool getBroadcastAcrossBatch() const noexcept = 0;

    //! Where the data lies: kHOST for shape tensors that are network inputs or outputs, kDEVICE
    //! for all others.
    virtual TensorLocation getLocation() const noexcept = 0;

    //! Without effect but for kHOST on an execution tensor, which is refused with an error: the
    //! location follows from the use of the tensor.
    TRT_DEPRECATED virtual void setLocation(TensorLocation location) noexcept = 0;

    //! Restricts the memory layouts of a network input or output.
    //! \param formats bits 1U << int(TensorFormat). Default: TensorFormat::kLINEAR alone for
    //!     inputs and outputs; all formats for others, where the value has no effect.
    virtual void setAllowedFormats(TensorFormats formats) noexcept = 0;

    //! The mask that setAllowedFormats() set, or the default.
    virtual TensorFormats getAllowedFormats() const noexcept = 0;

    //! True if the tensor's values are used as a shape (the second input of IShuffleLayer, say),
    //! so that they must be known when shapes are computed. Such a tensor has at most one
    //! dimension and is kINT32, kINT64, kFLOAT or kBOOL. The answer can change as layers are added.
    virtual bool isShapeTensor() const noexcept = 0;

    //! True if the tensor's values are computed when the engine executes. Most tensors are
    //! execution tensors alone; a tensor can be both.
    virtual bool isExecutionTensor() const noexcept = 0;

    //! Names a dimension of a network input, for readers and for equality: dimensions of the same
    //! name must have the same extent at run time. Optimizations may use that.
    //! \param index 0 .. rank - 1.
    //! \param name zero-terminated, copied; null removes the name.
    virtual void setDimensionName(int32_t index, char const* name) noexcept = 0;

    //! The name of a dimension; null if it has none. An output dimension that always equals a
    //! named input dimension may carry its name. Lifetime as for getName().
    virtual char const* getDimensionName(int32_t index) const noexcept = 0;

    //! Sets the type of a network input or output. An output of another type is converted. In a
    //! strongly typed network the type must equal the derived one, else an error is logged.
    TRT_DEPRECATED virtual void setType(DataType type) noexcept = 0;

    //! Sets the range of values for INT8 without calibration.
    //! \return false, with a logged error, if the range is refused.
    TRT_DEPRECATED virtual bool setDynamicRange(float min, float max) noexcept = 0;

    //! True if setDynamicRange() set a range.
    TRT_DEPRECATED virtual bool dynamicRangeIsSet() const noexcept = 0;

    //! Takes setDynamicRange() back.
    virtual void resetDynamicRange() noexcept = 0;

    //! The lower end of the range; NaN if none is set.
    virtual float getDynamicRangeMin() const noexcept = 0;

    //! The upper end of the range; NaN if none is set.
    virtual float getDynamicRangeMax() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
