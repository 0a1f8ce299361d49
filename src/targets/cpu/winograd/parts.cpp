// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/winograd/parts.h"

#include <algorithm>
#include <optional>

#include "graph/ops/activation.h"
#include "graph/ops/region.h"

namespace kiln::targets::cpu {
namespace {

using graph::Convolution;
using graph::Region;
using target::ConvolutionWorkload;
using target::OperandType;
using target::Workload;

/// Transformed weights: reading more than that takes longer than the multiplications saved.
constexpr int64_t kMostWeights = 2 * 1024 * 1024;
/// Maps are computed in groups. With few of them, most of a group is zeros.
constexpr int64_t kMostGrowth = 9;

/// Takes an activation that is all of the tail as limits of the results.
void takeLimits(WinogradParts& parts) {
    if (parts.tail.region == nullptr || parts.tail.region->nodes().size() != 1) {
        return;
    }
    auto const* op =
        dynamic_cast<graph::Activation const*>(parts.tail.region->nodes().front().op.get());
    if (op == nullptr) {
        return;
    }
    if (op->type == nvinfer1::ActivationType::kRELU) {
        parts.least = 0.0F;
    } else if (op->type == nvinfer1::ActivationType::kCLIP && op->alpha <= op->beta) {
        parts.least = op->alpha;
        parts.most = op->beta;
    } else {
        return;
    }
    parts.tail = {};
}

/// Empty for formats other than linear and channels-last.
std::optional<WinogradConvolution::Layout> layoutOf(OperandType const& type, int64_t channels,
                                                    int64_t height, int64_t width) {
    if (type.format == TensorFormat::kLINEAR) {
        return WinogradConvolution::Layout{channels * height * width, width, 1, height * width};
    }
    if (type.format == TensorFormat::kHWC) {
        return WinogradConvolution::Layout{channels * height * width, channels * width, channels,
                                           1};
    }
    return std::nullopt;
}

bool isThreeByThree(ConvolutionWorkload const& p) {
    auto const isThree = [](ConvolutionWorkload::Axis const& axis) {
        return axis.size == 3 && axis.stride == 1 && axis.dilation == 1;
    };
    return p.axes == 2 && p.groups == 1 && isThree(p.height) && isThree(p.width);
}

} // namespace

std::size_t WinogradParts::kernelAt() const {
    return inputs[Convolution::places(inputs.size()).kernel];
}

std::size_t WinogradParts::biasAt() const {
    std::size_t const place = Convolution::places(inputs.size()).bias;
    return place == 0 ? 0 : inputs[place];
}

WinogradParts winogradParts(graph::Op const& op, std::size_t inputs) {
    WinogradParts parts;
    auto const* region = dynamic_cast<Region const*>(&op);
    if (region == nullptr) {
        parts.convolution = static_cast<Convolution const*>(&op);
        for (std::size_t i = 0; i < inputs; ++i) {
            parts.inputs.push_back(i);
        }
    } else {
        Region::Node const& first = region->nodes().front();
        parts.convolution = dynamic_cast<Convolution const*>(first.op.get());
        bool const reads = std::ranges::all_of(first.inputs, [&](int32_t input) {
            return input >= 0 && input < region->inputCount();
        });
        if (parts.convolution == nullptr || !reads || region->results().size() != 1) {
            parts.refusal = "expected a convolution of inputs as the first operation, and one "
                            "result";
            return parts;
        }
        parts.inputs.assign(first.inputs.begin(), first.inputs.end());
        parts.tail = tailOf(*region);
        takeLimits(parts);
    }
    if (parts.inputs.size() < 2) {
        parts.refusal = "expected weights as an operand";
    }
    return parts;
}

ConvolutionWorkload winogradWorkload(WinogradParts const& parts, Workload const& workload) {
    std::vector<OperandType> types;
    std::vector<Dims> dims;
    for (std::size_t const input : parts.inputs) {
        types.push_back(workload.inputTypes[input]);
        dims.push_back(workload.inputs[input]);
    }
    return target::convolutionWorkload(*parts.convolution,
                                       {types, workload.outputTypes, dims, workload.outputs});
}

std::string winogradSizeProblem(int64_t side, int64_t maps, int64_t channels) {
    int64_t const original = maps * channels * 9;
    int64_t const weights = winogradWeights(side, maps, channels);
    if (weights > kMostWeights) {
        return fmt::format("expected at most {} transformed weights, got {}", kMostWeights,
                           weights);
    }
    return weights > kMostGrowth * original
               ? fmt::format("expected at most {} transformed weights for {} of {} maps, got {}",
                             kMostGrowth * original, original, maps, weights)
               : std::string();
}

std::string winogradProblem(WinogradParts const& parts, Workload const& workload, int64_t side,
                            WinogradState& state) {
    auto const isFloat = [](OperandType const& type) { return type.type == DataType::kFLOAT; };
    if (!std::ranges::all_of(workload.inputTypes, isFloat) || !isFloat(workload.outputTypes[0])) {
        return "expected operands of float32";
    }
    state.plan.side = side;
    ConvolutionWorkload const& p = state.plan.p = winogradWorkload(parts, workload);
    if (!isThreeByThree(p)) {
        return "expected a window of 3 x 3 with stride and dilation 1, in one group";
    }
    auto const from =
        layoutOf(workload.inputTypes[parts.inputs[0]], p.channels, p.height.input, p.width.input);
    auto const to = layoutOf(workload.outputTypes[0], p.maps, p.height.output, p.width.output);
    if (!from || !to || workload.inputTypes[parts.kernelAt()].format != TensorFormat::kLINEAR) {
        return "expected linear weights, and tensors that are linear or have dense channels last";
    }
    state.plan.from = *from;
    state.plan.to = *to;
    if (std::string problem = winogradSizeProblem(side, p.maps, p.channels); !problem.empty()) {
        return problem;
    }
    state.biasAt = parts.biasAt();
    state.least = parts.least;
    state.most = parts.most;
    return state.tail.prepare(parts.tail, workload);
}

} // namespace kiln::targets::cpu
