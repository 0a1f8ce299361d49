// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/layer_type.h"
#include "kiln/api/network/tensor.h"
#include "kiln/api/no_copy.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! An operation of a network, with its input and output tensors: the base of all layer classes.
//!
//! Made by the add functions of INetworkDefinition, which owns it. Valid until the network is
//! destroyed; do not delete one. To reach the members of a kind, cast after a look at getType().
//!
//! An index or a value that is out of range is logged as an error and changes nothing.
class ILayer : public INoCopy {
public:
    ~ILayer() noexcept override = default;

    //! The kind of the layer.
    virtual LayerType getType() const noexcept = 0;

    //! Names the layer, for messages, profiles and inspection. Unique names are advisable: with
    //! weights to refit they are required, because the weights go by them.
    //! \param name zero-terminated, copied.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. By default the kind and a running number, such as
    //! "(Unnamed Layer* 3) [Shuffle]". Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Number of inputs, those that are not set included.
    virtual int32_t getNbInputs() const noexcept = 0;

    //! Input tensor `index`; null if the index is out of range or an optional input is not set.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;

    //! Number of outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! Output tensor `index`; null if the index is out of range or an optional output is unused.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    //! Replaces input `index`. Some layers take a dynamic parameter at an index behind the last
    //! input that was given when they were made; see their classes.
    virtual void setInput(int32_t index, ITensor& tensor) noexcept = 0;

    //! The type of output `index`: the one that setOutputType() set, else the derived one.
    virtual DataType getOutputType(int32_t index) const noexcept = 0;

    //! Attaches a text that the engine inspector shows beside the layer.
    //! \param metadata zero-terminated, copied. Default: empty.
    virtual void setMetadata(char const* metadata) noexcept = 0;

    //! The text that setMetadata() set; never null.
    virtual char const* getMetadata() const noexcept = 0;

    //! Says how many devices share the layer's work in a multi-device network.
    //! \return false, with a logged error, if the layer cannot be shared by so many.
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;

    //! The number that setNbRanks() set. Default: 1.
    virtual int32_t getNbRanks() const noexcept = 0;

    //! Asks for a type to compute in. A hint, unless BuilderFlag::kOBEY_PRECISION_CONSTRAINTS or
    //! kPREFER_PRECISION_CONSTRAINTS is set. Weakly typed networks only.
    TRT_DEPRECATED virtual void setPrecision(DataType dataType) noexcept = 0;

    //! The type to compute in that setPrecision() set. Default: DataType::kFLOAT.
    virtual DataType getPrecision() const noexcept = 0;

    //! True if setPrecision() set a type.
    TRT_DEPRECATED virtual bool precisionIsSet() const noexcept = 0;

    //! Takes setPrecision() back.
    TRT_DEPRECATED virtual void resetPrecision() noexcept = 0;

    //! Sets the type of an output. Weakly typed networks only; the same flags as for
    //! setPrecision() make it binding.
    TRT_DEPRECATED virtual void setOutputType(int32_t index, DataType dataType) noexcept = 0;

    //! True if setOutputType() set a type for output `index`.
    TRT_DEPRECATED virtual bool outputTypeIsSet(int32_t index) const noexcept = 0;

    //! Takes setOutputType() back.
    TRT_DEPRECATED virtual void resetOutputType(int32_t index) noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
