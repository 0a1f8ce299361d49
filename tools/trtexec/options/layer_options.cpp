// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/layer_options.h"

#include <array>

#include "failure.h"
#include "options/words.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::DeviceType;

constexpr std::array kTypes{
    Word{"fp32", DataType::kFLOAT},  Word{"fp16", DataType::kHALF}, Word{"bf16", DataType::kBF16},
    Word{"int32", DataType::kINT32}, Word{"int8", DataType::kINT8},
};

constexpr std::array kDevices{Word{"GPU", DeviceType::kGPU}, Word{"DLA", DeviceType::kDLA}};

constexpr std::array kConstraints{
    Word{"none", PrecisionConstraints::kNone},
    Word{"prefer", PrecisionConstraints::kPrefer},
    Word{"obey", PrecisionConstraints::kObey},
};

/// Calls store(layer, value) for each "LAYER:VALUE". Names of layers may contain colons, and stand
/// in quotes.
template <typename Store>
void forEachLayer(std::string_view option, std::string_view text, Store store) {
    for (std::string const& word : parseNames(option, text)) {
        size_t const colon = word.rfind(':');
        if (colon == std::string::npos || colon == 0 || colon + 1 == word.size()) {
            fail("[options] {}: expected LAYER:VALUE, got '{}'", option, word);
        }
        std::string layer = word.substr(0, colon);
        if (layer.size() > 2 && layer.front() == '\'' && layer.back() == '\'') {
            layer = layer.substr(1, layer.size() - 2);
        }
        store(layer, word.substr(colon + 1));
    }
}

} // namespace

ByLayer<DataType> parseLayerPrecisions(std::string_view option, std::string_view text) {
    ByLayer<DataType> types;
    forEachLayer(option, text, [&](std::string const& layer, std::string const& value) {
        types[layer] = wordIn(option, value, kTypes);
    });
    return types;
}

ByLayer<std::vector<DataType>> parseLayerOutputTypes(std::string_view option,
                                                     std::string_view text) {
    ByLayer<std::vector<DataType>> types;
    forEachLayer(option, text, [&](std::string const& layer, std::string const& value) {
        std::vector<DataType> outputs;
        for (std::string const& type : splitAt(option, value, '+')) {
            outputs.push_back(wordIn(option, type, kTypes));
        }
        types[layer] = std::move(outputs);
    });
    return types;
}

ByLayer<DeviceType> parseLayerDevices(std::string_view option, std::string_view text) {
    ByLayer<DeviceType> devices;
    forEachLayer(option, text, [&](std::string const& layer, std::string const& value) {
        devices[layer] = wordIn(option, value, kDevices);
    });
    return devices;
}

PrecisionConstraints parsePrecisionConstraints(std::string_view option, std::string_view text) {
    return wordIn(option, text, kConstraints);
}

} // namespace kiln::trtexec
