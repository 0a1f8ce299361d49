// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_description.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"

namespace kiln::targets::cuda {
namespace {

/// Axis 1 holds the channels.
DenseTensor denseTensor(std::vector<int64_t> dims, bool channelsLast) {
    DenseTensor tensor{std::move(dims), {}};
    tensor.strides.resize(tensor.dims.size());
    int64_t stride = channelsLast ? tensor.dims[1] : 1;
    for (std::size_t i = tensor.dims.size(); i-- > 0;) {
        bool const isInnermost = channelsLast && i == 1;
        tensor.strides[i] = isInnermost ? 1 : stride;
        stride *= isInnermost ? 1 : tensor.dims[i];
    }
    return tensor;
}

std::string textOf(ConvolutionStep const& step) {
    return fmt::format("|{}:{}:{}:{}:{}:{}{}{}", static_cast<int>(step.mode),
                       step.low.value_or(1e300), step.high.value_or(1e300), step.slope, step.alpha,
                       step.operand, step.operandFirst ? "f" : "", step.twice ? "t" : "");
}

std::optional<ConvolutionStep> describeActivation(graph::Activation const& op) {
    using nvinfer1::ActivationType;
    ConvolutionStep step;
    switch (op.type) {
    case ActivationType::kRELU: step.mode = CUDNN_POINTWISE_RELU_FWD; break;
    case ActivationType::kCLIP:
        step.mode = CUDNN_POINTWISE_RELU_FWD;
        step.low = op.alpha;
        step.high = op.beta;
        break;
    case ActivationType::kLEAKY_RELU:
        step.mode = CUDNN_POINTWISE_RELU_FWD;
        step.slope = op.alpha;
        break;
    case ActivationType::kSIGMOID: step.mode = CUDNN_POINTWISE_SIGMOID_FWD; break;
    case ActivationType::kTANH: step.mode = CUDNN_POINTWISE_TANH_FWD; break;
    case ActivationType::kELU:
        step.mode = CUDNN_POINTWISE_ELU_FWD;
        step.alpha = op.alpha;
        break;
    case ActivationType::kGELU_ERF: step.mode = CUDNN_POINTWISE_GELU_FWD; break;
    case ActivationType::kGELU_TANH: step.mode = CUDNN_POINTWISE_GELU_APPROX_TANH_FWD; break;
    default: return std::nullopt;
    }
    return step;
}

std::optional<ConvolutionStep> describeElementWise(graph::ElementWise const& op) {
    using nvinfer1::ElementWiseOperation;
    ConvolutionStep step;
    switch (op.operation) { // cuDNN's maximum and minimum may lose a NaN
    case ElementWiseOperation::kSUM: step.mode = CUDNN_POINTWISE_ADD; break;
    case ElementWiseOperation::kPROD: step.mode = CUDNN_POINTWISE_MUL; break;
    case ElementWiseOperation::kSUB: step.mode = CUDNN_POINTWISE_SUB; break;
    case ElementWiseOperation::kDIV: step.mode = CUDNN_POINTWISE_DIV; break;
    default: return std::nullopt;
    }
    return step;
}

/// Padding after the input for axis.output windows: axis.before if that fits, else the minimum.
int64_t paddingAfter(target::ConvolutionWorkload::Axis const& axis) {
    int64_t const span = 1 + axis.dilation * (axis.size - 1);
    int64_t const needed = (axis.output - 1) * axis.stride + span - axis.input - axis.before;
    bool const symmetric = axis.before >= needed && axis.before - needed < axis.stride;
    return symmetric ? axis.before : std::max<int64_t>(needed, 0);
}

} // namespace

std::optional<ConvolutionStep> describeStep(ChainStep const& step) {
    std::optional<ConvolutionStep> result;
    if (step.op->kind() == graph::Activation::kKind) {
        result = describeActivation(static_cast<graph::Activation const&>(*step.op));
    } else if (step.op->kind() == graph::ElementWise::kKind) {
        result = describeElementWise(static_cast<graph::ElementWise const&>(*step.op));
    }
    if (result.has_value()) {
        result->operandFirst = step.operandFirst;
        result->twice = step.twice;
    }
    return result;
}

std::string ConvolutionDescription::text() const {
    std::string text = fmt::format("{}{}|{}|{}|{}|{}|{}|{}|{}|{}{}", static_cast<int32_t>(type),
                                   tf32 ? "t" : "", input.dims, kernel.dims, output.dims, stride,
                                   dilation, before, after, hasBias, channelsLast ? "|last" : "");
    for (ConvolutionStep const& step : steps) {
        text += textOf(step);
    }
    for (DenseTensor const& operand : operands) {
        text += fmt::format("|{}", operand.dims);
    }
    return text;
}

ConvolutionDescription describeConvolution(target::ConvolutionWorkload const& workload,
                                           DataType type, bool channelsLast) {
    ConvolutionDescription description;
    description.type = type;
    description.channelsLast = channelsLast;
    description.hasBias = workload.biasAt != 0;
    std::vector<int64_t> input{workload.batch, workload.channels * workload.groups};
    std::vector<int64_t> kernel{workload.maps, workload.channels};
    std::vector<int64_t> output{workload.batch, workload.maps};
    std::vector<int64_t> bias{1, workload.maps};
    std::vector<target::ConvolutionWorkload::Axis> axes{workload.height, workload.width};
    if (workload.axes == 3) {
        axes.insert(axes.begin(), workload.depth);
    }
    for (target::ConvolutionWorkload::Axis const& axis : axes) {
        input.push_back(axis.input);
        kernel.push_back(axis.size);
        output.push_back(axis.output);
        bias.push_back(1);
        description.stride.push_back(axis.stride);
        description.dilation.push_back(axis.dilation);
        description.before.push_back(axis.before);
        description.after.push_back(paddingAfter(axis));
    }
    description.input = denseTensor(std::move(input), channelsLast);
    description.kernel = denseTensor(std::move(kernel), channelsLast);
    description.output = denseTensor(std::move(output), channelsLast);
    description.bias = denseTensor(std::move(bias), channelsLast);
    return description;
}

int32_t addOperand(ConvolutionDescription& description, Dims const& dims) {
    std::vector<int64_t> extents(dims.d, dims.d + dims.nbDims);
    if (extents.size() == 3) { // a line has height 1
        extents.insert(extents.begin() + 2, 1);
    }
    description.operands.push_back(denseTensor(std::move(extents), description.channelsLast));
    return static_cast<int32_t>(description.operands.size()) - 1;
}

bool padChannels(ConvolutionDescription& description, int64_t groups) {
    constexpr int64_t kGroup = 8;
    int64_t const channels = description.input.dims[1];
    if (!description.channelsLast || groups != 1 || channels % kGroup == 0 ||
        description.type == DataType::kFLOAT) {
        return false;
    }
    for (DenseTensor* const tensor : {&description.input, &description.kernel}) {
        std::vector<int64_t> dims = tensor->dims;
        dims[1] = (channels + kGroup - 1) / kGroup * kGroup;
        *tensor = denseTensor(std::move(dims), true);
    }
    return true;
}

bool isSymmetric(ConvolutionDescription const& description) {
    return description.before == description.after;
}

} // namespace kiln::targets::cuda
