// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An IPluginV2DynamicExt that copies its input and writes every callback into a Trace.
#pragma once

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <NvInferRuntime.h>
#include <gtest/gtest.h>

#include "support/text.h"
#include "support/trace.h"

namespace kiln::test {

/// The types that the plugin takes, and the type in which it is slow, so that timing picks the
/// other. Without padding, because the plugin stores these bytes in the plan.
struct Manner {
    int32_t takesHalf = 0;
    nvinfer1::DataType slow = nvinfer1::DataType::kHALF;
};

class TracedV2 final : public nvinfer1::IPluginV2DynamicExt {
public:
    TracedV2(Trace& trace, Manner const& manner)
        : trace_(trace), manner_(manner), id_(trace.newObject()) {}

    int id() const { return id_; }

    char const* getPluginType() const noexcept override { return "TracedV2"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override {
        say("initialize");
        return 0;
    }
    void terminate() noexcept override { say("terminate"); }
    size_t getSerializationSize() const noexcept override {
        say("getSerializationSize");
        return sizeof(manner_);
    }
    void serialize(void* to) const noexcept override {
        say("serialize");
        std::memcpy(to, &manner_, sizeof(manner_));
    }
    void destroy() noexcept override {
        say("destroy");
        delete this;
    }
    nvinfer1::DataType getOutputDataType(int32_t index, nvinfer1::DataType const* types,
                                         int32_t count) const noexcept override {
        EXPECT_EQ(index, 0);
        EXPECT_EQ(count, 1);
        return types[0];
    }
    void attachToContext(cudnnContext*, cublasContext*,
                         nvinfer1::IGpuAllocator* a) noexcept override {
        say(std::string("attachToContext(allocator ") + (a == nullptr ? "null)" : "given)"));
    }
    void detachFromContext() noexcept override { say("detachFromContext"); }
    nvinfer1::IPluginV2DynamicExt* clone() const noexcept override {
        auto* const copy = new TracedV2(trace_, manner_);
        say("clone -> #" + std::to_string(copy->id_));
        return copy;
    }
    nvinfer1::DimsExprs getOutputDimensions(int32_t index, nvinfer1::DimsExprs const* inputs,
                                            int32_t count,
                                            nvinfer1::IExprBuilder&) noexcept override {
        say("getOutputDimensions(" + std::to_string(index) + ", n=" + std::to_string(count) +
            ", in0 " + str(inputs[0]) + ")");
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::PluginTensorDesc const* io,
                                   int32_t inputs, int32_t outputs) noexcept override {
        bool const known = io[pos].type == nvinfer1::DataType::kFLOAT ||
                           (manner_.takesHalf != 0 && io[pos].type == nvinfer1::DataType::kHALF);
        bool const taken = known && io[pos].format == nvinfer1::TensorFormat::kLINEAR &&
                           (pos == 0 || io[pos].type == io[0].type);
        say("supportsFormatCombination(" + std::to_string(pos) + ", " + str(io[pos]) +
            ", in=" + std::to_string(inputs) + ", out=" + std::to_string(outputs) + ") -> " +
            std::to_string(taken));
        return taken;
    }
    void configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t inputs,
                         nvinfer1::DynamicPluginTensorDesc const* out,
                         int32_t outputs) noexcept override {
        say("configurePlugin(in " + str(in[0]) + "; out " + str(out[0]) + "; " +
            std::to_string(inputs) + " " + std::to_string(outputs) + ")");
    }
    size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const* in, int32_t,
                            nvinfer1::PluginTensorDesc const* out,
                            int32_t) const noexcept override {
        say("getWorkspaceSize(in " + str(in[0]) + "; out " + str(out[0]) + ")");
        return 64;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const* out,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t) noexcept override {
        std::memcpy(outputs[0], inputs[0], bytesOf(in[0]));
        if (in[0].type == manner_.slow) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        say("enqueue(in " + str(in[0]) + "; out " + str(out[0]) + "; workspace " +
            (workspace == nullptr ? "null)" : "given)"));
        return 0;
    }

private:
    void say(std::string const& text) const { trace_.callback(id_, text); }

    Trace& trace_;
    Manner manner_;
    int id_;
};

class TracedV2Creator final : public nvinfer1::IPluginCreator {
public:
    explicit TracedV2Creator(Trace& trace) : trace_(trace) {}
    char const* getPluginName() const noexcept override { return "TracedV2"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return nullptr;
    }
    nvinfer1::IPluginV2* deserializePlugin(char const* name, void const* data,
                                           size_t size) noexcept override {
        Manner manner;
        EXPECT_EQ(size, sizeof(manner));
        std::memcpy(&manner, data, sizeof(manner));
        auto* const plugin = new TracedV2(trace_, manner);
        trace_.note(std::string("creator deserializePlugin '") + name + "' -> #" +
                    std::to_string(plugin->id()));
        return plugin;
    }

private:
    Trace& trace_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
