// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <NvInfer.h>

namespace kiln::trtexec {

/// What one option says about layers, by name; "*" is every layer that is not named.
template <typename Value>
using ByLayer = std::map<std::string, Value>;

enum class PrecisionConstraints { kNone, kPrefer, kObey };

/// What options say about layers by name.
struct LayerOptions {
    ByLayer<nvinfer1::DataType> precisions;
    ByLayer<std::vector<nvinfer1::DataType>> outputTypes;
    ByLayer<nvinfer1::DeviceType> devices;
    std::vector<std::string> decomposableAttentions;
    PrecisionConstraints constraints = PrecisionConstraints::kNone;

    bool setsTypes() const noexcept { return !precisions.empty() || !outputTypes.empty(); }
};

/// "conv1:fp16,*:fp32"
ByLayer<nvinfer1::DataType> parseLayerPrecisions(std::string_view option, std::string_view text);
/// "conv1:fp16,split:fp32+fp16"
ByLayer<std::vector<nvinfer1::DataType>> parseLayerOutputTypes(std::string_view option,
                                                               std::string_view text);
/// "conv1:GPU"
ByLayer<nvinfer1::DeviceType> parseLayerDevices(std::string_view option, std::string_view text);
/// "none", "prefer", "obey".
PrecisionConstraints parsePrecisionConstraints(std::string_view option, std::string_view text);

} // namespace kiln::trtexec
