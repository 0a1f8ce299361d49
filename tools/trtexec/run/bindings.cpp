// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/bindings.h"

#include <algorithm>
#include <cstring>

#include "failure.h"
#include "files.h"
#include "run/element.h"
#include "run/profile.h"
#include "run/random_values.h"

namespace kiln::trtexec {

using nvinfer1::DataType;
using nvinfer1::TensorIOMode;

Bindings::Bindings(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                   Logger& logger)
    : context_(context), engine_(context.getEngine()), options_(options), logger_(logger) {
    checkNames();
    for (TensorIOMode const mode : {TensorIOMode::kINPUT, TensorIOMode::kOUTPUT}) {
        for (int32_t i = 0; i < engine_.getNbIOTensors(); ++i) {
            char const* const name = engine_.getIOTensorName(i);
            if (engine_.getTensorIOMode(name) == mode) {
                mode == TensorIOMode::kINPUT ? bindInput(name) : bindOutput(name);
            }
        }
    }
}

std::vector<TensorBuffer const*> Bindings::all() const {
    std::vector<TensorBuffer const*> all;
    for (auto const& buffer : buffers_) {
        all.push_back(buffer.get());
    }
    return all;
}

std::vector<TensorBuffer const*> Bindings::outputs() const {
    std::vector<TensorBuffer const*> outputs;
    for (auto const& buffer : buffers_) {
        if (!isInput(*buffer)) {
            outputs.push_back(buffer.get());
        }
    }
    return outputs;
}

bool Bindings::isInput(TensorBuffer const& buffer) const {
    return engine_.getTensorIOMode(buffer.name().c_str()) == TensorIOMode::kINPUT;
}

void Bindings::upload(cudaStream_t stream) {
    for (auto const& buffer : buffers_) {
        if (isInput(*buffer)) {
            buffer->upload(stream);
        }
    }
}

void Bindings::download(cudaStream_t stream) {
    for (auto const& buffer : buffers_) {
        if (!isInput(*buffer)) {
            buffer->download(stream);
        }
    }
}

void Bindings::checkNames() const {
    std::vector<std::string> inputs;
    for (int32_t i = 0; i < engine_.getNbIOTensors(); ++i) {
        char const* const name = engine_.getIOTensorName(i);
        if (engine_.getTensorIOMode(name) == TensorIOMode::kINPUT) {
            inputs.emplace_back(name);
        }
    }
    auto const check = [&](char const* option, std::string const& name) {
        if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
            fail("[run] {}: expected names of inputs ({}), got '{}'", option,
                 fmt::join(inputs, ", "), name);
        }
    };
    for (auto const& [name, extents] : options_.shapes) {
        check("--shapes", name);
    }
    for (auto const& [name, file] : options_.loadInputs) {
        check("--loadInputs", name);
    }
}

TensorBuffer& Bindings::add(char const* name) {
    bool const onHost = device().usesHostMemory() ||
                        engine_.getTensorLocation(name) == nvinfer1::TensorLocation::kHOST;
    buffers_.push_back(std::make_unique<TensorBuffer>(name, engine_.getTensorDataType(name),
                                                      engine_.getTensorFormat(name), onHost));
    return *buffers_.back();
}

nvinfer1::Dims Bindings::inputShape(char const* name) {
    nvinfer1::Dims const fixed = engine_.getTensorShape(name);
    auto const given = options_.shapes.find(name);
    if (given != options_.shapes.end() && !engine_.isShapeInferenceIO(name)) {
        return toDims(name, given->second);
    }
    if (!hasOpenDimension(fixed)) {
        return fixed;
    }
    nvinfer1::Dims const best =
        engine_.getProfileShape(name, options_.profile, nvinfer1::OptProfileSelector::kOPT);
    nvinfer1::Dims const shape = best.nbDims == fixed.nbDims ? best : withOnes(fixed);
    logger_.warning("Shape missing for input with dynamic shape: {}. Automatically setting shape "
                    "to: {}",
                    name, toText(shape));
    return shape;
}

void Bindings::bindInput(char const* name) {
    TensorBuffer& buffer = add(name);
    nvinfer1::Dims const shape = inputShape(name);
    if (!context_.setInputShape(name, shape)) {
        fail("[run] input '{}': the engine refused the shape {}; the lines above say why", name,
             toText(shape));
    }
    buffer.resize(shape);
    bool const fromFile = options_.loadInputs.count(name) != 0;
    if (engine_.isShapeInferenceIO(name) && !fromFile) {
        fillShapeValues(buffer);
    } else if (buffer.format() == nvinfer1::TensorFormat::kLINEAR) {
        fillInput(buffer);
    } else {
        TensorBuffer values(name, buffer.type()); // in C order, as in the file
        values.resize(shape);
        fillInput(values);
        pack(values, buffer);
    }
    if (!context_.setTensorAddress(name, buffer.address())) {
        fail("[run] input '{}': the engine refused its memory; the lines above say why", name);
    }
    logger_.info("Input binding for {} with dimensions {} is created.", name, toText(shape));
}

void Bindings::pack(TensorBuffer const& values, TensorBuffer& buffer) {
    size_t const bytes = static_cast<size_t>(bitsOf(buffer.type())) / 8;
    Layout const layout = buffer.layout();
    size_t const count = values.count();
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<char*>(buffer.data()) + layout.place(i) * bytes,
                    static_cast<char const*>(values.data()) + i * bytes, bytes);
    }
}

void Bindings::fillInput(TensorBuffer& buffer) {
    auto const file = options_.loadInputs.find(buffer.name());
    if (file == options_.loadInputs.end()) {
        logger_.info("Using random values for input {}", buffer.name());
        fillRandom(buffer);
        return;
    }
    logger_.info("Using values loaded from {} for input {}", file->second, buffer.name());
    readWhole(file->second,
              fmt::format("--loadInputs, tensor '{}' ({} of {})", buffer.name(),
                          toText(buffer.dims()), nameOf(buffer.type())),
              buffer.data(), buffer.bytes());
}

void Bindings::fillShapeValues(TensorBuffer& buffer) {
    std::string const& name = buffer.name();
    size_t const count = buffer.count();
    auto const given = options_.shapes.find(name);
    int64_t const* values = nullptr;
    if (given != options_.shapes.end() && given->second.size() == count) {
        values = given->second.data();
    } else if (given == options_.shapes.end()) {
        values = engine_.getProfileTensorValuesV2(name.c_str(), options_.profile,
                                                  nvinfer1::OptProfileSelector::kOPT);
    }
    if (values == nullptr) {
        fail("[run] input '{}' holds shapes: expected {} values in --shapes, got {}", name, count,
             given != options_.shapes.end() ? given->second.size() : 0);
    }
    for (size_t i = 0; i < count; ++i) {
        if (buffer.type() == DataType::kINT64) {
            static_cast<int64_t*>(buffer.data())[i] = values[i];
        } else {
            static_cast<int32_t*>(buffer.data())[i] = static_cast<int32_t>(values[i]);
        }
    }
}

void Bindings::bindOutput(char const* name) {
    TensorBuffer& buffer = add(name);
    nvinfer1::Dims const shape = context_.getTensorShape(name);
    bool bound = false;
    if (hasOpenDimension(shape)) {
        bound = context_.setOutputAllocator(name, &buffer); // the run determines the shape
    } else {
        buffer.resize(shape);
        bound = context_.setTensorAddress(name, buffer.address());
    }
    if (!bound) {
        fail("[run] output '{}': the engine refused its memory; the lines above say why", name);
    }
    logger_.info("Output binding for {} with dimensions {} is created.", name, toText(shape));
}

} // namespace kiln::trtexec
