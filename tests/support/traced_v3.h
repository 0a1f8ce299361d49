// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An IPluginV3 that copies its input and writes every callback into a Trace.
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

class TracedV3 final : public nvinfer1::IPluginV3,
                       public nvinfer1::IPluginV3OneCore,
                       public nvinfer1::IPluginV3OneBuild,
                       public nvinfer1::IPluginV3OneRuntime {
public:
    /// `slow`: the type in which the plugin is slow, so that timing picks another.
    TracedV3(Trace& trace, bool takesHalf, nvinfer1::DataType slow)
        : trace_(trace), takesHalf_(takesHalf), slow_(slow), id_(trace.newObject()) {}
    ~TracedV3() noexcept override { say("delete"); }

    int id() const { return id_; }

    nvinfer1::IPluginCapability* getCapabilityInterface(
        nvinfer1::PluginCapabilityType type) noexcept override {
        using nvinfer1::PluginCapabilityType;
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<nvinfer1::IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<nvinfer1::IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME:
            return static_cast<nvinfer1::IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    nvinfer1::IPluginV3* clone() noexcept override { return copy("clone"); }

    char const* getPluginName() const noexcept override { return "TracedV3"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "tests"; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t nbOutputs,
                               nvinfer1::DataType const* inputs,
                               int32_t nbInputs) const noexcept override {
        EXPECT_EQ(nbOutputs, 1);
        EXPECT_EQ(nbInputs, 1);
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
                            nvinfer1::DimsExprs const*, int32_t nbShapeInputs,
                            nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
                            nvinfer1::IExprBuilder&) noexcept override {
        say("getOutputShapes(in0 " + str(inputs[0]) + "; " + std::to_string(nbInputs) + " " +
            std::to_string(nbShapeInputs) + " " + std::to_string(nbOutputs) + ")");
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* io,
                                   int32_t inputs, int32_t outputs) noexcept override {
        nvinfer1::PluginTensorDesc const& desc = io[pos].desc;
        bool const known = desc.type == nvinfer1::DataType::kFLOAT ||
                           (takesHalf_ && desc.type == nvinfer1::DataType::kHALF);
        bool const taken =
            known && desc.format == nvinfer1::TensorFormat::kLINEAR && desc.type == io[0].desc.type;
        say("supportsFormatCombination(" + std::to_string(pos) + ", " + str(io[pos]) + " opt" +
            str(io[pos].opt) + ", in=" + std::to_string(inputs) +
            ", out=" + std::to_string(outputs) + ") -> " + std::to_string(taken));
        return taken;
    }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t inputs,
                            nvinfer1::DynamicPluginTensorDesc const* out,
                            int32_t outputs) noexcept override {
        say("configurePlugin(" + pair(in, inputs, out, outputs) + ")");
        return 0;
    }
    std::size_t getWorkspaceSize(nvinfer1::DynamicPluginTensorDesc const* in, int32_t inputs,
                                 nvinfer1::DynamicPluginTensorDesc const* out,
                                 int32_t outputs) const noexcept override {
        say("getWorkspaceSize(" + pair(in, inputs, out, outputs) + ")");
        return 64;
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        say("setTactic(" + std::to_string(tactic) + ")");
        return 0;
    }
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* in, int32_t inputs,
                          nvinfer1::PluginTensorDesc const* out,
                          int32_t outputs) noexcept override {
        say("onShapeChange(" + pair(in, inputs, out, outputs) + ")");
        return 0;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const* out,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t) noexcept override {
        std::memcpy(outputs[0], inputs[0], bytesOf(in[0]));
        if (in[0].type == slow_) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        say("enqueue(" + pair(in, 1, out, 1) + "; workspace " +
            (workspace == nullptr ? "null)" : "given)"));
        return 0;
    }
    nvinfer1::IPluginV3* attachToContext(
        nvinfer1::IPluginResourceContext* context) noexcept override {
        bool const given = context != nullptr && context->getGpuAllocator() != nullptr;
        return copy(given ? "attachToContext(allocator given)" : "attachToContext(no allocator)");
    }
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        say("getFieldsToSerialize");
        return &collection_;
    }

private:
    template <typename Desc>
    static std::string pair(Desc const* in, int32_t inputs, Desc const* out, int32_t outputs) {
        return "in " + str(in[0]) + "; out " + str(out[0]) + "; " + std::to_string(inputs) + " " +
               std::to_string(outputs);
    }
    TracedV3* copy(std::string const& callback) {
        auto* const made = new TracedV3(trace_, takesHalf_, slow_);
        say(callback + " -> #" + std::to_string(made->id_));
        return made;
    }
    void say(std::string const& text) const { trace_.callback(id_, text); }

    Trace& trace_;
    bool takesHalf_;
    nvinfer1::DataType slow_;
    int id_;
    int32_t kept_ = 42;
    nvinfer1::PluginField field_{"kept", &kept_, nvinfer1::PluginFieldType::kINT32, 1};
    nvinfer1::PluginFieldCollection collection_{1, &field_};
};

class TracedV3Creator final : public nvinfer1::IPluginCreatorV3One {
public:
    explicit TracedV3Creator(Trace& trace) : trace_(trace) {}
    char const* getPluginName() const noexcept override { return "TracedV3"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "tests"; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV3* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* all,
                                      nvinfer1::TensorRTPhase phase) noexcept override {
        auto* const made = new TracedV3(trace_, true, nvinfer1::DataType::kINT32);
        EXPECT_EQ(all->nbFields, 1);
        trace_.note(std::string("creator createPlugin '") + name + "', " + all->fields[0].name +
                    "=" + std::to_string(*static_cast<int32_t const*>(all->fields[0].data)) +
                    (phase == nvinfer1::TensorRTPhase::kRUNTIME ? ", run time" : ", build") +
                    " -> #" + std::to_string(made->id()));
        return made;
    }

private:
    Trace& trace_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

} // namespace kiln::test
