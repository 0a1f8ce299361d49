// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <kiln/kiln.h>

#include "bindings.h"
#include "buffer.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::TensorFormat;

/// Where the channels of a format are.
struct FormatRule {
    int32_t channelFromEnd; // dimension rank - channelFromEnd
    int64_t group;          // channels are padded to a multiple of this
    bool last;              // channels are innermost; else only each group is
};

std::string nameOf(TensorFormat format) {
    return py::str(py::cast(format)).cast<std::string>();
}

FormatRule ruleOf(TensorFormat format) {
    switch (format) {
    case TensorFormat::kHWC: return {3, 1, true};
    case TensorFormat::kHWC8: return {3, 8, true};
    case TensorFormat::kHWC16: return {3, 16, true};
    case TensorFormat::kDHWC: return {4, 1, true};
    case TensorFormat::kDHWC8: return {4, 8, true};
    case TensorFormat::kCHW2: return {3, 2, false};
    case TensorFormat::kCHW4: return {3, 4, false};
    case TensorFormat::kCHW16: return {3, 16, false};
    case TensorFormat::kCHW32: return {3, 32, false};
    case TensorFormat::kCDHW32: return {4, 32, false};
    default:
        throw py::value_error(
            fmt::format("[buffer] desc: expected a format of the cpu or cuda target, got {}. Set "
                        "LINEAR, or the format that the plugin was configured with.",
                        nameOf(format)));
    }
}

std::vector<int64_t> packedStrides(std::vector<int64_t> const& shape) {
    std::vector<int64_t> strides(shape.size());
    int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        step *= shape[i];
    }
    return strides;
}

} // namespace

BufferLayout layoutOf(Dims const& dims, TensorFormat format) {
    std::vector<int64_t> shape;
    shape.reserve(static_cast<std::size_t>(std::max(dims.nbDims, 0)) + 1);
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] < 0) {
            throw py::value_error(fmt::format(
                "[buffer] dimension {}: expected an extent of 0 or more, got {}. {}", i, dims.d[i],
                kiln::pluginRun().outputDescs != nullptr
                    ? "The plugin finds it out while it runs: set the dims of the descriptor to "
                      "what is written, or to the upper bound of the size tensor."
                    : "Extents are known in enqueue: use the descriptors that it gets."));
        }
        shape.push_back(dims.d[i]);
    }
    if (format == TensorFormat::kLINEAR) {
        std::vector<int64_t> strides = packedStrides(shape);
        return {std::move(shape), std::move(strides)};
    }
    FormatRule const rule = ruleOf(format);
    if (dims.nbDims < rule.channelFromEnd) {
        throw py::value_error(
            fmt::format("[buffer] desc: expected {} or more dimensions for {}, got {}. Set the "
                        "format LINEAR, or all dimensions of the tensor.",
                        rule.channelFromEnd, nameOf(format), dims.nbDims));
    }
    auto const channel = static_cast<std::size_t>(dims.nbDims - rule.channelFromEnd);
    int64_t const groups = (shape[channel] + rule.group - 1) / rule.group;
    if (!rule.last) {
        shape[channel] = groups;
        shape.push_back(rule.group);
        std::vector<int64_t> strides = packedStrides(shape);
        return {std::move(shape), std::move(strides)};
    }
    // The strides are those of a packed shape whose last dimension is the padded channels.
    std::vector<int64_t> stored = shape;
    stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(channel));
    stored.push_back(groups * rule.group);
    std::vector<int64_t> strides = packedStrides(stored);
    strides.pop_back();
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(channel), 1);
    return {std::move(shape), std::move(strides)};
}

} // namespace kiln::python
