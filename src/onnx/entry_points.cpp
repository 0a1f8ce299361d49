// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The exported C functions behind nvonnxparser::createParser() and similar functions.

#include "onnx/log.h"
#include "onnx/parser.h"
#include "onnx/parser_refitter.h"

#include <new>

using kiln::onnx::Log;
using kiln::onnx::Parser;
using kiln::onnx::ParserRefitter;
using Severity = nvinfer1::ILogger::Severity;

namespace {

// A client compiled against another major version may expect another class layout.
bool versionFits(Log const& log, int32_t version) {
    if (version / 10000 == NV_ONNX_PARSER_VERSION / 10000) {
        return true;
    }
    log(Severity::kERROR, "parser: expected a program built for version ", NV_ONNX_PARSER_VERSION,
        ", got ", version, ". Compile it against these headers.");
    return false;
}

} // namespace

void* createNvOnnxParser_INTERNAL(void* network, void* logger, int version) noexcept {
    if (logger == nullptr) {
        return nullptr;
    }
    auto& userLogger = *static_cast<nvinfer1::ILogger*>(logger);
    try {
        Log const log(userLogger);
        if (network == nullptr) {
            log(Severity::kERROR, "parser: expected a network, got null.");
            return nullptr;
        }
        if (!versionFits(log, version)) {
            return nullptr;
        }
        return static_cast<nvonnxparser::IParser*>(
            new Parser(*static_cast<nvinfer1::INetworkDefinition*>(network), userLogger));
    } catch (std::exception const& error) {
        userLogger.log(Severity::kERROR, error.what());
        return nullptr;
    }
}

void* createNvOnnxParserRefitter_INTERNAL(void* refitter, void* logger, int32_t version) noexcept {
    if (logger == nullptr) {
        return nullptr;
    }
    auto& userLogger = *static_cast<nvinfer1::ILogger*>(logger);
    try {
        Log const log(userLogger);
        if (refitter == nullptr) {
            log(Severity::kERROR, "parser refitter: expected a refitter, got null.");
            return nullptr;
        }
        if (!versionFits(log, version)) {
            return nullptr;
        }
        return static_cast<nvonnxparser::IParserRefitter*>(
            new ParserRefitter(*static_cast<nvinfer1::IRefitter*>(refitter), userLogger));
    } catch (std::exception const& error) {
        userLogger.log(Severity::kERROR, error.what());
        return nullptr;
    }
}

int getNvOnnxParserVersion() noexcept {
    return NV_ONNX_PARSER_VERSION;
}
