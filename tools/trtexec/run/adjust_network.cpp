// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/adjust_network.h"

#include <vector>

#include "failure.h"

namespace kiln::trtexec {
namespace {

[[noreturn]] void refused(char const* option) {
    fail("[build] the network refused {}; the lines above say why", option);
}

/// Inserts a cast to the original type of an input, which its users were made for.
void castBack(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& input,
              nvinfer1::DataType type) {
    int32_t const layers = network.getNbLayers();
    nvinfer1::ICastLayer* cast = nullptr;
    for (int32_t i = 0; i < layers; ++i) {
        nvinfer1::ILayer& layer = *network.getLayer(i);
        for (int32_t k = 0; k < layer.getNbInputs(); ++k) {
            if (layer.getInput(k) == &input) {
                cast = cast != nullptr ? cast : network.addCast(input, type);
                layer.setInput(k, *cast->getOutput(0));
            }
        }
    }
    if (cast != nullptr) {
        cast->setName(fmt::format("cast of {}", input.getName()).c_str());
    }
}

void setFormat(nvinfer1::ITensor& tensor, IOFormat const& format) {
    if (tensor.getType() != format.type) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        tensor.setType(format.type);
#pragma GCC diagnostic pop
    }
    tensor.setAllowedFormats(format.formats);
    if (tensor.getType() != format.type || tensor.getAllowedFormats() != format.formats) {
        fail("[build] tensor '{}': the network refused its type or format of --inputIOFormats or "
             "--outputIOFormats; the lines above say why",
             tensor.getName());
    }
}

template <typename At>
void setFormats(char const* option, std::vector<IOFormat> const& formats, int32_t count, At at) {
    if (formats.empty()) {
        return;
    }
    if (formats.size() != 1 && formats.size() != static_cast<size_t>(count)) {
        fail("[build] {}: expected 1 or {} of TYPE:FORMAT, got {}", option, count, formats.size());
    }
    for (int32_t i = 0; i < count; ++i) {
        setFormat(*at(i), formats[formats.size() == 1 ? 0 : static_cast<size_t>(i)]);
    }
}

nvinfer1::ITensor* findTensor(nvinfer1::INetworkDefinition const& network,
                              std::string const& name) {
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        if (name == network.getInput(i)->getName()) {
            return network.getInput(i);
        }
    }
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer const& layer = *network.getLayer(i);
        for (int32_t k = 0; k < layer.getNbOutputs(); ++k) {
            if (name == layer.getOutput(k)->getName()) {
                return layer.getOutput(k);
            }
        }
    }
    return nullptr;
}

} // namespace

void adjustNetwork(nvinfer1::INetworkDefinition& network, BuildOptions const& build) {
    std::vector<nvinfer1::DataType> types; // of the inputs, before the change
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        types.push_back(network.getInput(i)->getType());
    }
    setFormats("--inputIOFormats", build.inputFormats, network.getNbInputs(),
               [&](int32_t i) { return network.getInput(i); });
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        nvinfer1::ITensor& input = *network.getInput(i);
        nvinfer1::DataType const type = types[static_cast<size_t>(i)];
        if (input.getType() != type) {
            castBack(network, input, type);
        }
    }
    setFormats("--outputIOFormats", build.outputFormats, network.getNbOutputs(),
               [&](int32_t i) { return network.getOutput(i); });
    for (std::string const& name : build.debugTensors) {
        nvinfer1::ITensor* const tensor = findTensor(network, name);
        if (tensor == nullptr) {
            fail("[build] --markDebug: the network has no tensor '{}'. --verbose lists the "
                 "layers",
                 name);
        }
        if (!network.markDebug(*tensor)) {
            refused("--markDebug");
        }
    }
    if (build.markUnfusedTensors && !network.markUnfusedTensorsAsDebugTensors()) {
        refused("--markUnfusedTensorsAsDebugTensors");
    }
}

} // namespace kiln::trtexec
