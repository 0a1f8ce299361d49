// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/dense_order.h"

#include <algorithm>

#include "base/tensor_layout.h"

namespace kiln::targets::cuda {
namespace {

bool isDense(TensorFormat format) {
    return format == TensorFormat::kLINEAR || format == TensorFormat::kHWC ||
           format == TensorFormat::kDHWC;
}

/// The place of the channels; rank if they are where linear tensors have them.
int32_t channelAxis(int32_t rank, TensorFormat format) {
    int32_t const fromEnd = isDense(format) ? traitsOf(format)->channelsFromEnd : 0;
    return fromEnd <= rank ? rank - fromEnd : rank;
}

} // namespace

int32_t placeInMemory(int32_t axis, int32_t rank, TensorFormat format) {
    int32_t const channels = channelAxis(rank, format);
    return axis < channels ? axis : axis == channels ? rank - 1 : axis - 1;
}

Dims inMemoryOrder(Dims const& dims, TensorFormat format) {
    Dims ordered = dims;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        ordered.d[placeInMemory(axis, dims.nbDims, format)] = dims.d[axis];
    }
    return ordered;
}

std::string refuseMixedOrders(target::NodeSpec const& node) {
    TensorFormat const first = node.outputs[0].type.format;
    for (auto const& side : {node.inputs, node.outputs}) {
        for (target::OperandSpec const& operand : side) {
            TensorFormat const format = operand.type.format;
            if (!isDense(format) || !fitsFormat(format, operand.type.type, operand.opt.nbDims)) {
                return fmt::format("expected a dense memory format, got {}", nameOf(format));
            }
            if (format != first) {
                return fmt::format("expected one memory format for all operands, got {} and {}",
                                   nameOf(first), nameOf(format));
            }
        }
    }
    return {};
}

void checkOneOrder(std::string_view kind, std::span<target::OperandType const> inputs,
                   std::span<target::OperandType const> outputs) {
    auto const check = [&](target::OperandType const& type) {
        if (type.format != outputs[0].format || !isDense(type.format)) {
            fail(ErrorKind::kUnsupported,
                 "[shape] {}: expected operands in one dense memory format, got {} and {}. Build "
                 "the plan again.",
                 kind, nameOf(outputs[0].format), nameOf(type.format));
        }
    };
    std::for_each(inputs.begin(), inputs.end(), check);
    std::for_each(outputs.begin(), outputs.end(), check);
}

} // namespace kiln::targets::cuda
