// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A builder, an empty network and a parser whose messages are kept.
#pragma once

#include "NvInfer.h"
#include "NvOnnxParser.h"

#include "onnx/model_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace kiln::onnx {

class KeepingLogger : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) {
            all += std::string(message) + "\n";
        }
    }

    std::string all;
};

class ParserTest : public testing::Test {
protected:
    ParserTest() : builder(nvinfer1::createInferBuilder(logger)) { startOver(); }

    // Creates an empty network and a new parser.
    void startOver() {
        auto const flag = nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED;
        parser.reset();
        network.reset(builder->createNetworkV2(1U << static_cast<uint32_t>(flag)));
        parser.reset(nvonnxparser::createParser(*network, logger));
    }

    // Parses a model. On failure, `error` is the text of the first error.
    bool parse(ModelWriter const& model, char const* path = nullptr) {
        std::string const bytes = model.bytes();
        bool const parsed = parser->parse(bytes.data(), bytes.size(), path);
        error = parsed ? "" : parser->getError(0)->desc();
        return parsed;
    }

    std::vector<int64_t> outputShape() const {
        nvinfer1::Dims const dims = network->getOutput(0)->getDimensions();
        return {dims.d, dims.d + dims.nbDims};
    }

    // Types of the layers in order, without constants.
    std::vector<nvinfer1::LayerType> layerTypes() const {
        std::vector<nvinfer1::LayerType> types;
        for (int32_t i = 0; i < network->getNbLayers(); ++i) {
            if (network->getLayer(i)->getType() != nvinfer1::LayerType::kCONSTANT) {
                types.push_back(network->getLayer(i)->getType());
            }
        }
        return types;
    }

    // The last layer, as its class.
    template <typename Layer>
    Layer& last() const {
        return static_cast<Layer&>(*network->getLayer(network->getNbLayers() - 1));
    }

    KeepingLogger logger;
    std::unique_ptr<nvinfer1::IBuilder> builder;
    std::unique_ptr<nvinfer1::INetworkDefinition> network;
    std::unique_ptr<nvonnxparser::IParser> parser;
    std::string error;
};

} // namespace kiln::onnx
