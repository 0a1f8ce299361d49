// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins of the three interfaces that pass the batch apart from the shapes: y = 2 x. They learn
// the length of a row from the configure callback and store it in the plan. BatchScript sets their
// behaviour and records their callbacks.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <NvInfer.h>

#include "support/text.h"

namespace kiln::test {

struct BatchScript {
    std::vector<std::string> said;
    int alive = 0;
    int initialized = 0;
    std::function<nvinfer1::Dims(nvinfer1::Dims const*)> shape = [](nvinfer1::Dims const* inputs) {
        return inputs[0];
    };
    std::function<bool(nvinfer1::DataType, nvinfer1::TensorFormat)> takes = [](auto type, auto) {
        return type == nvinfer1::DataType::kFLOAT;
    };
    nvinfer1::DataType outputType = nvinfer1::DataType::kFLOAT;
    bool broadcasts = false;
    int32_t tag = -1; ///< IPluginV2: result of getTensorRTVersion, unless negative

    void say(std::string const& line) { said.push_back(line); }
    bool heard(std::string const& line) const {
        return std::find(said.begin(), said.end(), line) != said.end();
    }
};

template <typename Base>
class BatchPluginOf : public Base {
public:
    BatchPluginOf(BatchScript& script, int64_t row) : script_(script), row_(row) {
        ++script_.alive;
    }
    BatchPluginOf(BatchPluginOf const& other) : script_(other.script_), row_(other.row_) {
        ++script_.alive;
    }
    ~BatchPluginOf() noexcept override { --script_.alive; }

    char const* getPluginType() const noexcept override { return "Batch"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    int32_t getNbOutputs() const noexcept override { return 1; }
    nvinfer1::Dims getOutputDimensions(int32_t, nvinfer1::Dims const* inputs,
                                       int32_t) noexcept override {
        script_.say("getOutputDimensions " + str(inputs[0]));
        return script_.shape(inputs);
    }
    int32_t initialize() noexcept override {
        ++script_.initialized;
        return 0;
    }
    void terminate() noexcept override { --script_.initialized; }
    std::size_t getWorkspaceSize(int32_t batch) const noexcept override {
        script_.say("getWorkspaceSize " + std::to_string(batch));
        return 64;
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t) noexcept override {
        script_.say("enqueue " + std::to_string(batch) + " rows of " + std::to_string(row_));
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<float*>(outputs[0]);
        std::transform(x, x + batch * row_, y, [](float value) { return 2 * value; });
        return workspace == nullptr ? 1 : 0;
    }
    std::size_t getSerializationSize() const noexcept override { return sizeof(row_); }
    void serialize(void* to) const noexcept override { std::memcpy(to, &row_, sizeof(row_)); }
    void destroy() noexcept override { delete this; }

protected:
    BatchScript& script_;
    int64_t row_;
};

class BatchV2 final : public BatchPluginOf<nvinfer1::IPluginV2> {
public:
    using BatchPluginOf::BatchPluginOf;
    int32_t getTensorRTVersion() const noexcept override {
        return script_.tag >= 0 ? script_.tag : IPluginV2::getTensorRTVersion();
    }
    bool supportsFormat(nvinfer1::DataType type,
                        nvinfer1::PluginFormat format) const noexcept override {
        return script_.takes(type, format);
    }
    void configureWithFormat(nvinfer1::Dims const* in, int32_t inputs, nvinfer1::Dims const* out,
                             int32_t outputs, nvinfer1::DataType type, nvinfer1::PluginFormat,
                             int32_t batch) noexcept override {
        script_.say("configureWithFormat " + str(in[0]) + " " + str(out[0]) + " " +
                    std::to_string(inputs) + " " + std::to_string(outputs) + " t" +
                    std::to_string(static_cast<int32_t>(type)) + " most " + std::to_string(batch));
        row_ = volumeOf(in[0]);
    }
    IPluginV2* clone() const noexcept override { return new BatchV2(*this); }
};

class BatchV2Ext final : public BatchPluginOf<nvinfer1::IPluginV2Ext> {
public:
    using BatchPluginOf::BatchPluginOf;
    bool supportsFormat(nvinfer1::DataType type,
                        nvinfer1::PluginFormat format) const noexcept override {
        return script_.takes(type, format);
    }
    nvinfer1::DataType getOutputDataType(int32_t, nvinfer1::DataType const*,
                                         int32_t) const noexcept override {
        return script_.outputType;
    }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const* inputs,
                                      int32_t) const noexcept override {
        return script_.broadcasts && !inputs[0];
    }
    void configurePlugin(nvinfer1::Dims const* in, int32_t, nvinfer1::Dims const* out, int32_t,
                         nvinfer1::DataType const* inTypes, nvinfer1::DataType const* outTypes,
                         bool const* inBroadcast, bool const* outBroadcast, nvinfer1::PluginFormat,
                         int32_t batch) noexcept override {
        script_.say("configurePlugin " + str(in[0]) + " " + str(out[0]) + " t" +
                    std::to_string(static_cast<int32_t>(inTypes[0])) + " t" +
                    std::to_string(static_cast<int32_t>(outTypes[0])) + " " +
                    std::to_string(inBroadcast[0]) + std::to_string(outBroadcast[0]) + " most " +
                    std::to_string(batch));
        row_ = volumeOf(in[0]);
    }
    void attachToContext(cudnnContext* cudnn, cublasContext* cublas,
                         nvinfer1::IGpuAllocator* allocator) noexcept override {
        bool const usual = cudnn == nullptr && cublas == nullptr && allocator != nullptr;
        script_.say(usual ? "attachToContext" : "attachToContext without an allocator");
    }
    void detachFromContext() noexcept override { script_.say("detachFromContext"); }
    IPluginV2Ext* clone() const noexcept override { return new BatchV2Ext(*this); }
};

class BatchV2IOExt final : public BatchPluginOf<nvinfer1::IPluginV2IOExt> {
public:
    using BatchPluginOf::BatchPluginOf;
    nvinfer1::DataType getOutputDataType(int32_t, nvinfer1::DataType const*,
                                         int32_t) const noexcept override {
        return script_.outputType;
    }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept override {
        return script_.broadcasts;
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* io, int32_t,
                                   int32_t) const noexcept override {
        return script_.takes(io[pos].type, io[pos].format);
    }
    void configurePlugin(nvinfer1::PluginTensorDesc const* in, int32_t inputs,
                         nvinfer1::PluginTensorDesc const* out, int32_t outputs) noexcept override {
        script_.say("configurePlugin " + str(in[0]) + " " + str(out[0]) + " " +
                    std::to_string(inputs) + " " + std::to_string(outputs));
        row_ = volumeOf(in[0].dims);
    }
    IPluginV2IOExt* clone() const noexcept override { return new BatchV2IOExt(*this); }
};

/// Restores plugins of class Restored from plans. Registered as long as it exists.
template <typename Restored>
class BatchCreator final : public nvinfer1::IPluginCreator {
public:
    explicit BatchCreator(BatchScript& script) : script_(script) {
        getPluginRegistry()->registerCreator(static_cast<IPluginCreatorInterface&>(*this), "");
    }
    ~BatchCreator() noexcept override {
        getPluginRegistry()->deregisterCreator(static_cast<IPluginCreatorInterface&>(*this));
    }
    char const* getPluginName() const noexcept override { return "Batch"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return new Restored(script_, 0);
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const* data,
                                           std::size_t) noexcept override {
        int64_t row = 0;
        std::memcpy(&row, data, sizeof(row));
        return new Restored(script_, row);
    }

private:
    using IPluginCreatorInterface = nvinfer1::IPluginCreatorInterface;
    BatchScript& script_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
