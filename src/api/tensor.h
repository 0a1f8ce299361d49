// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "graph/network.h"

namespace kiln::api {

class NetworkDefinition;

/// ITensor over one tensor of the graph. Owned by its network.
class Tensor final : public nvinfer1::ITensor {
public:
    Tensor(NetworkDefinition& network, graph::Tensor& tensor)
        : network_(network), tensor_(tensor) {}

    graph::Tensor& graphTensor() const noexcept { return tensor_; }
    NetworkDefinition& network() const noexcept { return network_; }

    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override;
    void setDimensions(nvinfer1::Dims const& dimensions) noexcept override;
    nvinfer1::Dims getDimensions() const noexcept override;
    nvinfer1::DataType getType() const noexcept override;
    bool isNetworkInput() const noexcept override;
    bool isNetworkOutput() const noexcept override;
    void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept override;
    bool getBroadcastAcrossBatch() const noexcept override;
    nvinfer1::TensorLocation getLocation() const noexcept override;
    void setLocation(nvinfer1::TensorLocation location) noexcept override;
    void setAllowedFormats(nvinfer1::TensorFormats formats) noexcept override;
    nvinfer1::TensorFormats getAllowedFormats() const noexcept override;
    bool isShapeTensor() const noexcept override;
    bool isExecutionTensor() const noexcept override;
    void setDimensionName(int32_t index, char const* name) noexcept override;
    char const* getDimensionName(int32_t index) const noexcept override;
    void setType(nvinfer1::DataType type) noexcept override;
    bool setDynamicRange(float min, float max) noexcept override;
    bool dynamicRangeIsSet() const noexcept override;
    void resetDynamicRange() noexcept override;
    float getDynamicRangeMin() const noexcept override;
    float getDynamicRangeMax() const noexcept override;

private:
    NetworkDefinition& network_;
    graph::Tensor& tensor_;
};

} // namespace kiln::api
