// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parser_refitter.h"

#include "kiln/kiln.h"
#include "onnx/layer_weights.h"

#include <set>

namespace kiln::onnx {

using Severity = nvinfer1::ILogger::Severity;

template <typename Work>
bool ParserRefitter::guarded(Work&& work) noexcept {
    try {
        try {
            return work();
        } catch (std::bad_alloc const&) {
            throw;
        } catch (ImportError const& error) {
            keep(error.code, error.what());
        } catch (std::exception const& error) {
            keep(ErrorCode::kINTERNAL_ERROR, error.what());
        }
    } catch (...) { // no memory, for the work or for its error
        outOfMemory_ = true;
        logger_.log(Severity::kERROR, ExhaustedError::kText);
    }
    return false;
}

void ParserRefitter::keep(ErrorCode code, std::string const& what) {
    errors_.emplace_back(ImportError(code, what), withMessageCode(text("[onnx] ", what).c_str()));
    Log{logger_}(Severity::kERROR, what);
}

ParserRefitter::Import& ParserRefitter::startImport() {
    Import import;
    import.builder.reset(nvinfer1::createInferBuilder(logger_));
    import.network.reset(import.builder == nullptr ? nullptr : import.builder->createNetworkV2(0));
    if (import.network == nullptr) {
        throw ImportError(ErrorCode::kINTERNAL_ERROR, "no network could be made for the model.");
    }
    import.parser = std::make_unique<Parser>(*import.network, logger_);
    imports_.push_back(std::move(import));
    return imports_.back();
}

// Copies the parser's errors, which it has logged. Returns false.
bool ParserRefitter::keepErrors(Import const& import) {
    for (int i = 0; i < import.parser->getNbErrors(); ++i) {
        nvonnxparser::IParserError const& error = *import.parser->getError(i);
        ImportError own(error.code(), error.desc());
        own.nodeIndex = error.node();
        own.nodeName = error.nodeName();
        own.nodeOperator = error.nodeOperator();
        own.functions.assign(error.localFunctionStack(),
                             error.localFunctionStack() + error.localFunctionStackSize());
        errors_.emplace_back(own, error.desc());
    }
    return false;
}

bool ParserRefitter::passWeights(Import const& import) {
    auto const wanted = static_cast<size_t>(refitter_.getAll(0, nullptr, nullptr));
    std::vector<char const*> layers(wanted);
    std::vector<nvinfer1::WeightsRole> roles(wanted);
    refitter_.getAll(static_cast<int32_t>(wanted), layers.data(), roles.data());
    std::set<std::pair<std::string, nvinfer1::WeightsRole>> open;
    for (size_t i = 0; i < wanted; ++i) {
        open.emplace(layers[i], roles[i]);
    }
    bool accepted = true;
    for (LayerWeights const& own : layerWeightsOf(*import.network)) {
        int32_t const result = setKnownWeights(refitter_, own.layer.c_str(), own.role, own.weights);
        accepted = accepted && result >= 0;
        if (result > 0) {
            open.erase({own.layer, own.role});
        }
    }
    if (!accepted) {
        keep(ErrorCode::kREFIT_FAILED,
             "the refitter refused weights of the model; see the log. Build the engine again from "
             "the new model.");
    } else if (!open.empty()) {
        keep(ErrorCode::kREFIT_FAILED,
             text("expected a model of the same structure as the engine's, got one without ",
                  open.size(), " of its weights, such as those of layer '", open.begin()->first,
                  "'. Build the engine again from the new model."));
    }
    bool const done = accepted && open.empty();
    while (done && &imports_.front() != &import) {
        imports_.pop_front(); // the refitter has other weights now
    }
    return done;
}

bool ParserRefitter::refitFromBytes(void const* model, size_t size,
                                    char const* modelPath) noexcept {
    return guarded([&] {
        Import const& import = startImport();
        return import.parser->parse(model, size, modelPath) ? passWeights(import)
                                                            : keepErrors(import);
    });
}

bool ParserRefitter::refitFromFile(char const* file) noexcept {
    return guarded([&] {
        Import const& import = startImport();
        return import.parser->parseFromFile(file, 0) ? passWeights(import) : keepErrors(import);
    });
}

bool ParserRefitter::loadModelProto(void const* model, size_t size,
                                    char const* modelPath) noexcept {
    return guarded([&] {
        Import const& import = startImport();
        return import.parser->loadModelProto(model, size, modelPath) || keepErrors(import);
    });
}

bool ParserRefitter::loadInitializer(char const* name, void const* data, size_t size) noexcept {
    return guarded([&] {
        if (imports_.empty()) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              "expected initializers after a model was loaded.");
        }
        return imports_.back().parser->loadInitializer(name, data, size) ||
               keepErrors(imports_.back());
    });
}

bool ParserRefitter::refitModelProto() noexcept {
    return guarded([&] {
        if (imports_.empty()) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              "no model is loaded to refit from. Load one first.");
        }
        return imports_.back().parser->parseModelProto() ? passWeights(imports_.back())
                                                         : keepErrors(imports_.back());
    });
}

int32_t ParserRefitter::getNbErrors() const noexcept {
    return static_cast<int32_t>(errors_.size()) + (outOfMemory_ ? 1 : 0);
}

nvonnxparser::IParserError const* ParserRefitter::getError(int32_t index) const noexcept {
    if (index < 0 || index >= getNbErrors()) {
        return nullptr;
    }
    auto const slot = static_cast<size_t>(index);
    return slot < errors_.size() ? static_cast<nvonnxparser::IParserError const*>(&errors_[slot])
                                 : &exhausted_;
}

void ParserRefitter::clearErrors() {
    errors_.clear();
    outOfMemory_ = false;
}

} // namespace kiln::onnx
