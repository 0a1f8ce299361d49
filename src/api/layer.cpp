// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/layer.h"

#include "api/network.h"
#include "base/text.h"

namespace kiln::api {

Reporter const& LayerCore::reporter() const noexcept {
    return network_.reporter();
}

void LayerCore::setName(char const* name) noexcept {
    reporter().guard([&] { node_.name = orEmpty(name); });
}

int32_t LayerCore::inputCount() const noexcept {
    return static_cast<int32_t>(node_.inputs.size());
}

nvinfer1::ITensor* LayerCore::input(int32_t index) const noexcept {
    if (index < 0 || index >= inputCount()) {
        return nullptr;
    }
    return network_.shown(node_.inputs[static_cast<std::size_t>(index)]);
}

nvinfer1::ITensor* LayerCore::output(int32_t index) const noexcept {
    if (index < 0 || index >= static_cast<int32_t>(node_.outputs.size())) {
        return nullptr;
    }
    return network_.shown(node_.outputs[static_cast<std::size_t>(index)]);
}

void LayerCore::setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept {
    reporter().guard([&] {
        if (index < 0 || index > inputCount()) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] layer '{}' ({}), input: expected a number from 0 to {}, got {}.",
                 node_.name, node_.op->kind(), inputCount(), index);
        }
        network_.graph().setNodeInput(node_, index, &network_.unwrap(tensor, inputName(index)));
    });
}

nvinfer1::DataType LayerCore::outputType(int32_t index) const noexcept {
    if (outputTypeIsSet(index)) {
        return *node_.outputType(static_cast<std::size_t>(index));
    }
    nvinfer1::ITensor const* const tensor = output(index);
    return tensor == nullptr ? nvinfer1::DataType::kFLOAT : tensor->getType();
}

void LayerCore::checkTypeChoice(char const* what, nvinfer1::DataType type) const {
    bitsOf(type); // throws for unknown types
    if (network_.graph().stronglyTyped()) {
        fail(ErrorKind::kInvalidState,
             "[network] layer '{}' ({}), {}: the types of a strongly typed network follow from its "
             "layers. Add a cast layer.",
             node_.name, node_.op->kind(), what);
    }
}

void LayerCore::setPrecision(nvinfer1::DataType type) noexcept {
    reporter().guard([&] {
        checkTypeChoice("precision", type);
        node_.precision = type;
    });
}

void LayerCore::setOutputType(int32_t index, nvinfer1::DataType type) noexcept {
    reporter().guard([&] {
        checkTypeChoice("output type", type);
        auto const count = static_cast<int32_t>(node_.outputs.size());
        if (index < 0 || index >= count) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] layer '{}' ({}), output type: expected an output from 0 to {}, got "
                 "{}.",
                 node_.name, node_.op->kind(), count - 1, index);
        }
        node_.outputTypes.resize(node_.outputs.size());
        node_.outputTypes[static_cast<std::size_t>(index)] = type;
        changed();
    });
}

bool LayerCore::outputTypeIsSet(int32_t index) const noexcept {
    return index >= 0 && node_.outputType(static_cast<std::size_t>(index)).has_value();
}

void LayerCore::resetOutputType(int32_t index) noexcept {
    if (outputTypeIsSet(index)) {
        node_.outputTypes[static_cast<std::size_t>(index)].reset();
        changed();
    }
}

void LayerCore::setMetadata(char const* metadata) noexcept {
    reporter().guard([&] { node_.metadata = orEmpty(metadata); });
}

std::string LayerCore::inputName(int32_t index) const {
    return fmt::format("input {} of layer '{}' ({})", index, node_.name, node_.op->kind());
}

void LayerCore::refuse(char const* parameter) const noexcept {
    reporter().guard([&] {
        fail(ErrorKind::kUnsupported, "[network] layer '{}' ({}), {}: not supported yet.",
             node_.name, node_.op->kind(), parameter);
    });
}

void LayerCore::failRejected(char const* parameter, fmt::string_view problem,
                             fmt::format_args args) const {
    fail(ErrorKind::kInvalidArgument, "[network] layer '{}' ({}), {}: {}", node_.name,
         node_.op->kind(), parameter, fmt::vformat(problem, args));
}

void LayerCore::changed() noexcept {
    network_.graph().touch(node_);
}

} // namespace kiln::api
