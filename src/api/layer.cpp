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
    nvinfer1::ITensor const* const tensor = output(index);
    return tensor == nullptr ? nvinfer1::DataType::kFLOAT : tensor->getType();
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
