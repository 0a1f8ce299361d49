// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/memory_order.h"

#include <algorithm>

#include "base/tensor_layout.h"

namespace kiln::targets::cpu {
namespace {

/// Whether the elements lie in the same order with channels first and last.
bool indifferent(Dims const& dims, int32_t channelsFromEnd) noexcept {
    int32_t const channels = dims.nbDims - channelsFromEnd;
    bool const oneChannel = channels < 0 || dims.d[channels] == 1;
    bool onePosition = true;
    for (int32_t axis = std::max(channels + 1, 0); axis < dims.nbDims; ++axis) {
        onePosition = onePosition && dims.d[axis] == 1;
    }
    return onePosition || (oneChannel && channels >= 0);
}

} // namespace

Dims MemoryOrder::arranged(Dims const& dims) const noexcept {
    if (isLinear() || dims.nbDims < channelsFromEnd) {
        return dims;
    }
    Dims result = dims;
    int32_t const channels = dims.nbDims - channelsFromEnd;
    std::rotate(result.d + channels, result.d + channels + 1, result.d + dims.nbDims);
    return result;
}

int32_t MemoryOrder::placeOf(int32_t axis, int32_t rank) const noexcept {
    int32_t const channels = rank - channelsFromEnd;
    if (isLinear() || channels < 0 || axis < channels) {
        return axis;
    }
    return axis == channels ? rank - 1 : axis - 1;
}

uint32_t MemoryOrder::placesOf(uint32_t axes, int32_t rank) const noexcept {
    uint32_t places = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
        places |= (axes >> axis & 1U) << placeOf(axis, rank);
    }
    return places;
}

std::optional<MemoryOrder> memoryOrderOf(TensorFormat format) noexcept {
    auto const traits = traitsOf(format);
    if (!traits || traits->vector != 1) {
        return std::nullopt;
    }
    return MemoryOrder{traits->channelsFromEnd};
}

std::optional<MemoryOrder> commonOrder(target::Workload const& workload) noexcept {
    MemoryOrder common;
    for (auto const types : {workload.inputTypes, workload.outputTypes}) {
        for (target::OperandType const& type : types) {
            auto const order = memoryOrderOf(type.format);
            if (!order || (!order->isLinear() && !common.isLinear() && *order != common)) {
                return std::nullopt;
            }
            common = order->isLinear() ? common : *order;
        }
    }
    auto const fits = [&](std::span<target::OperandType const> types, std::span<Dims const> dims) {
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (types[i].format == TensorFormat::kLINEAR &&
                !indifferent(dims[i], common.channelsFromEnd)) {
                return false;
            }
        }
        return true;
    };
    bool const agree = common.isLinear() || (fits(workload.inputTypes, workload.inputs) &&
                                             fits(workload.outputTypes, workload.outputs));
    return agree ? std::optional(common) : std::nullopt;
}

std::optional<MemoryOrder> commonOrder(target::NodeSpec const& node) {
    return commonOrder(NodeAt(node, NodeAt::Point::kMost).workload());
}

std::string orderRefusal(target::NodeSpec const& node) {
    std::string formats;
    for (auto const side : {node.inputs, node.outputs}) {
        for (target::OperandSpec const& operand : side) {
            formats += formats.empty() ? "" : ", ";
            formats += nameOf(operand.type.format);
        }
    }
    return fmt::format("expected all operands linear or all with dense channels last, got {}",
                       formats);
}

ArrangedWorkload::ArrangedWorkload(graph::Op const& op, target::Workload const& workload) {
    auto const common = commonOrder(workload);
    if (!common) {
        fail(ErrorKind::kUnsupported,
             "[shape] {}: expected all operands linear or all with dense channels last. Build the "
             "plan again.",
             op.kind());
    }
    order_ = *common;
    rank_ = workload.inputs.empty() ? 0 : workload.inputs[0].nbDims;
    auto const arrange = [&](std::span<target::OperandType const> types, std::span<Dims const> dims,
                             std::vector<target::OperandType>& linear, std::vector<Dims>& extents) {
        for (std::size_t i = 0; i < types.size(); ++i) {
            linear.push_back({types[i].type, TensorFormat::kLINEAR});
            extents.push_back(order_.arranged(dims[i]));
        }
    };
    arrange(workload.inputTypes, workload.inputs, inputTypes_, inputs_);
    arrange(workload.outputTypes, workload.outputs, outputTypes_, outputs_);
}

ArrangedNode::ArrangedNode(target::NodeSpec const& node)
    : order_(commonOrder(node).value_or(MemoryOrder{})), layer_(node.layer),
      inputs_(node.inputs.begin(), node.inputs.end()),
      outputs_(node.outputs.begin(), node.outputs.end()) {
    rank_ = inputs_.empty() ? 0 : inputs_.front().opt.nbDims;
    for (auto* side : {&inputs_, &outputs_}) {
        for (target::OperandSpec& operand : *side) {
            operand.type.format = TensorFormat::kLINEAR;
            for (Dims* dims : {&operand.min, &operand.opt, &operand.max, &operand.room}) {
                *dims = order_.arranged(*dims);
            }
        }
    }
}

} // namespace kiln::targets::cpu
