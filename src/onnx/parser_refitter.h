// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Implements nvonnxparser::IParserRefitter: imports the model into a network of its own, as it was
// imported for the engine, and passes the weights of its layers to the refitter.
#pragma once

#include "onnx/parser.h"

#include <deque>
#include <memory>

namespace kiln::onnx {

class ParserRefitter final : public nvonnxparser::IParserRefitter {
public:
    ParserRefitter(nvinfer1::IRefitter& refitter, nvinfer1::ILogger& logger)
        : refitter_(refitter), logger_(logger) {}

    bool refitFromBytes(void const* model, size_t size, char const* modelPath) noexcept override;
    bool refitFromFile(char const* file) noexcept override;
    int32_t getNbErrors() const noexcept override;
    nvonnxparser::IParserError const* getError(int32_t index) const noexcept override;
    void clearErrors() override;
    bool loadModelProto(void const* model, size_t size, char const* modelPath) noexcept override;
    bool loadInitializer(char const* name, void const* data, size_t size) noexcept override;
    bool refitModelProto() noexcept override;

private:
    // A model, and its weights, to which the refitter has pointers until the engine is refitted.
    struct Import {
        std::unique_ptr<nvinfer1::IBuilder> builder;
        std::unique_ptr<nvinfer1::INetworkDefinition> network;
        std::unique_ptr<Parser> parser;
    };

    template <typename Work>
    bool guarded(Work&& work) noexcept;
    void keep(ErrorCode code, std::string const& text);
    Import& startImport();
    bool passWeights(Import const& import);
    bool keepErrors(Import const& import);

    nvinfer1::IRefitter& refitter_;
    nvinfer1::ILogger& logger_;
    std::deque<Import> imports_;
    std::vector<ParserError> errors_;
    bool outOfMemory_ = false;
    ExhaustedError exhausted_;
};

} // namespace kiln::onnx
