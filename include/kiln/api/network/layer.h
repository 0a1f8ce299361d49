// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer_type.h"
#include "kiln/api/network/tensor.h"

namespace nvinfer1 {

class ILayer : public INoCopy {
public:
    ~ILayer() noexcept override = default;

    virtual LayerType getType() const noexcept = 0;
    virtual void setName(const char* name) noexcept = 0;
    virtual const char* getName() const noexcept = 0;
    virtual int32_t getNbInputs() const noexcept = 0;
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    virtual int32_t getNbOutputs() const noexcept = 0;
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    virtual void setInput(int32_t index, ITensor& tensor) noexcept = 0;
    virtual DataType getOutputType(int32_t index) const noexcept = 0;
    virtual void setMetadata(const char* metadata) noexcept = 0;
    virtual const char* getMetadata() const noexcept = 0;
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;
    virtual int32_t getNbRanks() const noexcept = 0;
    TRT_DEPRECATED virtual void setPrecision(DataType dataType) noexcept = 0;
    virtual DataType getPrecision() const noexcept = 0;
    TRT_DEPRECATED virtual bool precisionIsSet() const noexcept = 0;
    TRT_DEPRECATED virtual void resetPrecision() noexcept = 0;
    TRT_DEPRECATED virtual void setOutputType(int32_t index, DataType dataType) noexcept = 0;
    TRT_DEPRECATED virtual bool outputTypeIsSet(int32_t index) const noexcept = 0;
    TRT_DEPRECATED virtual void resetOutputType(int32_t index) noexcept = 0;
};

} // namespace nvinfer1
