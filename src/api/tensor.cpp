// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/tensor.h"

#include <cmath>

#include "api/network.h"
#include "base/text.h"
#include "compiler/host_inputs.h"
#include "graph/real_values.h"

namespace kiln::api {

void Tensor::setName(char const* name) noexcept {
    network_.reporter().guard([&] { network_.graph().rename(tensor_, orEmpty(name)); });
}

char const* Tensor::getName() const noexcept {
    return tensor_.name.c_str();
}

void Tensor::setDimensions(nvinfer1::Dims const& dimensions) noexcept {
    network_.reporter().guard([&] {
        if (tensor_.producer != nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] tensor '{}', dimensions: expected a network input; the shapes of "
                 "other tensors follow from their layers.",
                 tensor_.name);
        }
        checkDims(dimensions, -1, fmt::format("network input '{}'", tensor_.name));
        network_.graph().redeclare(tensor_, [&] {
            tensor_.dimensionNames.resize(static_cast<std::size_t>(dimensions.nbDims));
            tensor_.declaredDims = dimensions;
        });
    });
}

nvinfer1::Dims Tensor::getDimensions() const noexcept {
    return network_.reporter().guard(nvinfer1::Dims{-1, {}}, [&] {
        graph::Network& graph = network_.graph();
        return graph::knownDims(graph.pool(), graph.facts(tensor_).shape);
    });
}

nvinfer1::DataType Tensor::getType() const noexcept {
    if (std::optional<DataType> const wanted = tensor_.chosenType()) {
        return *wanted;
    }
    return network_.reporter().guard(tensor_.facts.type,
                                     [&] { return network_.graph().facts(tensor_).type; });
}

bool Tensor::isNetworkInput() const noexcept {
    return tensor_.producer == nullptr;
}

bool Tensor::isNetworkOutput() const noexcept {
    return tensor_.isNetworkOutput;
}

void Tensor::setBroadcastAcrossBatch(bool) noexcept {
    network_.reporter().log().warning("[network] tensor '{}', broadcast across the batch: ignored, "
                                      "networks have an explicit batch.",
                                      tensor_.name);
}

bool Tensor::getBroadcastAcrossBatch() const noexcept {
    return false;
}

nvinfer1::TensorLocation Tensor::getLocation() const noexcept {
    return nvinfer1::TensorLocation::kDEVICE;
}

void Tensor::setLocation(nvinfer1::TensorLocation location) noexcept {
    if (location != nvinfer1::TensorLocation::kDEVICE) {
        network_.reporter().refuse("tensor location HOST");
    }
}

void Tensor::setAllowedFormats(nvinfer1::TensorFormats formats) noexcept {
    network_.reporter().guard([&] {
        uint32_t const known = (1U << nvinfer1::EnumMax<nvinfer1::TensorFormat>()) - 1U;
        if (formats == 0 || (formats & ~known) != 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] tensor '{}', allowed formats: expected a mask of formats within "
                 "{:#x}, got {:#x}. Shift 1 by a TensorFormat.",
                 tensor_.name, known, formats);
        }
        tensor_.allowedFormats = formats;
        tensor_.formatsAreSet = true;
    });
}

nvinfer1::TensorFormats Tensor::getAllowedFormats() const noexcept {
    return tensor_.allowedFormats;
}

bool Tensor::isShapeTensor() const noexcept {
    graph::Network& graph = network_.graph();
    return network_.reporter().guard(false, [&] {
        if (!graph.facts(tensor_).values.has_value() || tensor_.producer != nullptr) {
            return graph::hasHostValues(tensor_.facts);
        }
        // Any small integer input can be a shape tensor. It is one if a layer needs its values on
        // the host.
        graph.inferAll();
        compiler::HostInputs wanted(graph.pool());
        for (graph::Node const* node : graph.nodes()) {
            wanted.add(*node);
        }
        return wanted.numbers().count(tensor_.inputIndex) != 0;
    });
}

bool Tensor::isExecutionTensor() const noexcept {
    return true;
}

void Tensor::setDimensionName(int32_t index, char const* name) noexcept {
    network_.reporter().guard([&] {
        if (tensor_.producer != nullptr || index < 0 || index >= tensor_.declaredDims.nbDims) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] tensor '{}', name of dimension {}: expected a network input and a "
                 "dimension below its rank.",
                 tensor_.name, index);
        }
        network_.graph().redeclare(tensor_, [&] {
            tensor_.dimensionNames[static_cast<std::size_t>(index)] = orEmpty(name);
        });
    });
}

char const* Tensor::getDimensionName(int32_t index) const noexcept {
    auto const slot = static_cast<std::size_t>(index);
    if (index < 0 || slot >= tensor_.dimensionNames.size() ||
        tensor_.dimensionNames[slot].empty()) {
        return nullptr;
    }
    return tensor_.dimensionNames[slot].c_str();
}

void Tensor::setType(nvinfer1::DataType type) noexcept {
    network_.reporter().guard([&] {
        bitsOf(type); // throws for unknown types
        if (tensor_.producer == nullptr) {
            network_.graph().redeclare(tensor_, [&] { tensor_.declaredType = type; });
            return;
        }
        if (network_.graph().stronglyTyped()) {
            fail(ErrorKind::kInvalidState,
                 "[network] tensor '{}', type: the types of a strongly typed network follow from "
                 "its layers. Add a cast layer.",
                 tensor_.name);
        }
        tensor_.wantedType = type;
    });
}

bool Tensor::setDynamicRange(float min, float max) noexcept {
    return network_.reporter().guard(false, [&] {
        if (!std::isfinite(min) || !std::isfinite(max) || min > max) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] tensor '{}', dynamic range: expected finite numbers in order, got {} "
                 "to {}.",
                 tensor_.name, min, max);
        }
        tensor_.range = {min, max};
        return true;
    });
}

bool Tensor::dynamicRangeIsSet() const noexcept {
    return tensor_.range.has_value();
}

void Tensor::resetDynamicRange() noexcept {
    tensor_.range.reset();
}

float Tensor::getDynamicRangeMin() const noexcept {
    return tensor_.range ? tensor_.range->min : 0.0F;
}

float Tensor::getDynamicRangeMax() const noexcept {
    return tensor_.range ? tensor_.range->max : 0.0F;
}

} // namespace kiln::api
