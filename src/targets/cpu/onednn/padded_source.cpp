// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/padded_source.h"

#include <algorithm>
#include <cstring>

#include "graph/ops/convolution.h"
#include "targets/cpu/layouts.h"

namespace kiln::targets::cpu::onednn {
namespace {

constexpr int32_t kImageRank = 4;

/// Operands of the kernel that read an input.
int64_t readersOf(Fusion const& fusion, std::size_t input) {
    auto const wanted = static_cast<int32_t>(input);
    return std::count(fusion.anchorInputs.begin(), fusion.anchorInputs.end(), wanted) +
           std::count_if(fusion.postOps.begin(), fusion.postOps.end(),
                         [&](PostOp const& op) { return op.operand == wanted; });
}

bool mayBePadded(Fusion const& fusion, std::size_t input) {
    auto const* convolution = dynamic_cast<graph::Convolution const*>(fusion.anchor);
    return convolution != nullptr && convolution->groups == 1 && fusion.product.empty() &&
           !fusion.quantized && input == fusion.inputOfAnchor(0) && readersOf(fusion, input) == 1;
}

bool hasFew(target::OperandSpec const& operand, int64_t most) {
    return !operand.constant && operand.opt.nbDims == kImageRank &&
           operand.type.format == TensorFormat::kHWC && operand.type.tag == 0 &&
           operand.min.d[1] == operand.max.d[1] && operand.max.d[1] > 0 && operand.max.d[1] < most;
}

constexpr int64_t kFew = 8;

} // namespace

bool hasPaddedSource(Fusion const& fusion, std::span<target::OperandType const> inputs) {
    return dynamic_cast<graph::Convolution const*>(fusion.anchor) != nullptr &&
           inputs[fusion.inputOfAnchor(0)].tag != 0;
}

int64_t channelsInMemory(target::OperandType const& type, int64_t channels) {
    auto const traits = type.tag == 0 ? std::nullopt : operandTraits(type, kImageRank);
    int64_t const vector = traits.value_or(FormatTraits{}).vector;
    return (channels + vector - 1) / vector * vector;
}

std::string layoutProblem(Fusion const& fusion, std::span<target::OperandType const> inputs,
                          target::OperandType const& output) {
    bool const convolution = fusion.anchor->kind() == graph::Convolution::kKind;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        bool const weights = std::find(fusion.anchorInputs.begin() + 1, fusion.anchorInputs.end(),
                                       static_cast<int32_t>(i)) != fusion.anchorInputs.end();
        bool const padded = convolution && mayBePadded(fusion, i) &&
                            operandTraits(inputs[i], kImageRank).has_value();
        if (inputs[i].tag != 0 && !weights && !padded) {
            return fmt::format("expected input {} in a public format, got layout {} of the "
                               "target's own",
                               i, inputs[i].tag);
        }
    }
    return output.tag == 0 ? std::string()
                           : fmt::format("expected an output in a public format, got layout {} of "
                                         "the target's own",
                                         output.tag);
}

Bytes paddedWeights(target::ConstantOperand const& weights, DataType type, int64_t channels) {
    auto const element = static_cast<std::size_t>(bitsOf(type) / 8);
    std::size_t plane = element;
    for (int32_t axis = 2; axis < weights.dims.nbDims; ++axis) {
        plane *= static_cast<std::size_t>(weights.dims.d[axis]);
    }
    auto const maps = static_cast<std::size_t>(weights.dims.d[0]);
    std::size_t const from = plane * static_cast<std::size_t>(weights.dims.d[1]);
    std::size_t const to = plane * static_cast<std::size_t>(channels);
    Bytes padded(maps * to);
    for (std::size_t map = 0; map < maps; ++map) {
        std::memcpy(padded.data() + map * to,
                    static_cast<std::byte const*>(weights.host) + map * from, from);
    }
    return padded;
}

std::vector<target::Form> paddedForms(Fusion const& fusion, target::NodeSpec const& node) {
    std::vector<target::Form> forms;
    if (!fusion.refusal.empty() || fusion.anchor->kind() != graph::Convolution::kKind) {
        return forms;
    }
    std::size_t const source = fusion.inputOfAnchor(0);
    if (!mayBePadded(fusion, source) || !hasFew(node.inputs[source], kFew)) {
        return forms;
    }
    int64_t const channels = node.inputs[source].opt.d[1];
    for (target::Layout const& layout : layouts()) {
        target::OperandType const padded{node.inputs[source].type.type, layout.format, layout.tag};
        if (channels == layout.traits.vector ||
            channelsInMemory(padded, channels) != layout.traits.vector) {
            continue;
        }
        target::Form form;
        for (auto const& operands : {node.inputs, node.outputs}) {
            for (target::OperandSpec const& operand : operands) {
                form.push_back(operand.type);
            }
        }
        form[source] = padded;
        forms.push_back(std::move(form));
    }
    return forms;
}

bool hasFewChannels(target::NodeSpec const& node) {
    // In float32 the padding costs more than it gains: measured for the stems of four networks.
    return bitsOf(node.outputs[0].type.type) == 16 &&
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [](target::OperandSpec const& operand) { return hasFew(operand, kFew); });
}

} // namespace kiln::targets::cpu::onednn
