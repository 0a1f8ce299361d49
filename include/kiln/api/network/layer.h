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

//! Base class of all layers: an operation of a network with its input and output tensors.
//!
//! Created by the add functions of INetworkDefinition and owned by the network, which destroys it;
//! do not delete it. Check getType() before you cast it to a derived class.
//!
//! Indices and values out of range are logged as errors and change nothing.
class ILayer : public INoCopy {
public:
    ~ILayer() noexcept override = default;

    //! The kind of the layer.
    virtual LayerType getType() const noexcept = 0;

    //! Sets the name of the layer, for messages, profilers and inspectors. Unique names are
    //! recommended.
    //! \param name null-terminated, copied.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. By default the kind and a running number, such as
    //! "(Unnamed Layer* 3) [Shuffle]". Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Number of inputs, including optional inputs that are not set.
    virtual int32_t getNbInputs() const noexcept = 0;

    //! Input tensor `index`; null if the index is out of range or an optional input is not set.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;

    //! Number of outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! Output tensor `index`; null if the index is out of range or an optional output is unused.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    //! Replaces input `index`. Some layers accept parameters as additional inputs; see their
    //! classes.
    virtual void setInput(int32_t index, ITensor& tensor) noexcept = 0;

    //! The type of output `index`.
    virtual DataType getOutputType(int32_t index) const noexcept = 0;

    //! Sets a string that engine inspectors show with the layer.
    //! \param metadata null-terminated, copied. Default: empty.
    virtual void setMetadata(char const* metadata) noexcept = 0;

    //! The string that setMetadata() set; never null.
    virtual char const* getMetadata() const noexcept = 0;

    //! Sets how many devices share the work of the layer. Kiln supports only 1.
    //! \return false, with a logged error, for any other number.
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;

    //! The number of devices. Always 1.
    virtual int32_t getNbRanks() const noexcept = 0;

    //! Sets the type that the layer computes in, for weakly typed networks; elements of other types
    //! than kFLOAT, kHALF and kBF16 keep theirs. It binds with
    //! BuilderFlag::kOBEY_PRECISION_CONSTRAINTS, where the build fails if nothing computes in this
    //! type, and with kPREFER_PRECISION_CONSTRAINTS, where a warning is logged. Without these flags
    //! the builder chooses.
    //! \param dataType kFLOAT, kHALF, kBF16, kINT8 (which also needs the ranges of the layer's
    //!     tensors), or a type that the layer has anyway.
    TRT_DEPRECATED virtual void setPrecision(DataType dataType) noexcept = 0;

    //! The type that setPrecision() set; by default the type of output 0.
    virtual DataType getPrecision() const noexcept = 0;

    //! True if setPrecision() set a type.
    TRT_DEPRECATED virtual bool precisionIsSet() const noexcept = 0;

    //! Forgets the type that setPrecision() set.
    TRT_DEPRECATED virtual void resetPrecision() noexcept = 0;

    //! Sets the type in which an output is stored, for weakly typed networks. It binds as
    //! setPrecision() does. An output of an identity layer is converted to it in any case, and so
    //! is an output of the network.
    //! \param index 0 .. getNbOutputs() - 1.
    TRT_DEPRECATED virtual void setOutputType(int32_t index, DataType dataType) noexcept = 0;

    //! True if setOutputType() set a type.
    TRT_DEPRECATED virtual bool outputTypeIsSet(int32_t index) const noexcept = 0;

    //! Forgets the type that setOutputType() set.
    TRT_DEPRECATED virtual void resetOutputType(int32_t index) noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
