// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_description.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace kiln::targets::cuda {
namespace {

DenseTensor denseTensor(std::vector<int64_t> dims) {
    DenseTensor tensor{std::move(dims), {}};
    tensor.strides.resize(tensor.dims.size());
    int64_t stride = 1;
    for (std::size_t i = tensor.dims.size(); i-- > 0;) {
        tensor.strides[i] = stride;
        stride *= tensor.dims[i];
    }
    return tensor;
}

/// Padding after the input for axis.output windows: axis.before if that fits, else the minimum.
int64_t paddingAfter(target::ConvolutionWorkload::Axis const& axis) {
    int64_t const span = 1 + axis.dilation * (axis.size - 1);
    int64_t const needed = (axis.output - 1) * axis.stride + span - axis.input - axis.before;
    bool const symmetric = axis.before >= needed && axis.before - needed < axis.stride;
    return symmetric ? axis.before : std::max<int64_t>(needed, 0);
}

} // namespace

std::string ConvolutionDescription::text() const {
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int32_t>(type), input.dims,
                       kernel.dims, output.dims, stride, dilation, before, after, hasBias);
}

ConvolutionDescription describeConvolution(target::ConvolutionWorkload const& workload,
                                           DataType type) {
    ConvolutionDescription description;
    description.type = type;
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
    description.input = denseTensor(std::move(input));
    description.kernel = denseTensor(std::move(kernel));
    description.output = denseTensor(std::move(output));
    description.bias = denseTensor(std::move(bias));
    return description;
}

bool isSymmetric(ConvolutionDescription const& description) {
    return description.before == description.after;
}

} // namespace kiln::targets::cuda
