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
                 "[network] layer '{}' ({}), setInput: expected an index from 0 to {}, got {}.",
                 node_.name, node_.op->kind(), inputCount(), index);
        }
        network_.graph().setNodeInput(node_, index, &network_.unwrap(tensor, "setInput"));
    });
}

nvinfer1::DataType LayerCore::outputType(int32_t index) const noexcept {
    nvinfer1::ITensor const* const tensor = output(index);
    return tensor == nullptr ? nvinfer1::DataType::kFLOAT : tensor->getType();
}

void LayerCore::setMetadata(char const* metadata) noexcept {
    reporter().guard([&] { node_.metadata = orEmpty(metadata); });
}

void LayerCore::refuse(char const* call) const noexcept {
    reporter().guard([&] {
        fail(ErrorKind::kUnsupported, "[network] layer '{}' ({}), {}: not supported yet.",
             node_.name, node_.op->kind(), call);
    });
}

void LayerCore::failRejected(char const* call, fmt::string_view problem,
                             fmt::format_args args) const {
    fail(ErrorKind::kInvalidArgument, "[network] layer '{}' ({}), {}: {}", node_.name,
         node_.op->kind(), call, fmt::vformat(problem, args));
}

void LayerCore::changed() noexcept {
    network_.graph().touch(node_);
}

} // namespace kiln::api
