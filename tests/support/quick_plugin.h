// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A decorated plugin in C++: y = 2 x just in time, or any given code ahead of time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <NvInfer.h>
#include <kiln/aot.h>

namespace kiln::test {

/// What the tests set, shared by the clones.
struct QuickScript {
    using DataType = nvinfer1::DataType;

    std::vector<std::vector<DataType>> combinations{{DataType::kFLOAT, DataType::kFLOAT}};
    std::vector<int32_t> tactics;
    int32_t ranTactic = -1;
    int32_t runs = 0;
    std::vector<int64_t> strides;
    /// Ahead of time: through kiln::IAotBuild.
    std::function<void(nvinfer1::DimsExprs const*, int32_t tactic, IAotCode&,
                       nvinfer1::IExprBuilder&)>
        code;
    /// Ahead of time: through IPluginV3QuickAOTBuild.
    std::function<void(nvinfer1::DimsExprs const*, nvinfer1::IKernelLaunchParams&,
                       nvinfer1::ISymExprs&, nvinfer1::IExprBuilder&)>
        launch;
    std::string entry;
    std::vector<char> kernel;
};

/// The callbacks that all kinds of quick plugins share.
template <typename Base>
class QuickBuild : public Base {
public:
    explicit QuickBuild(QuickScript& script) : script_(script) {}

    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t,
                               nvinfer1::DataType const* inputs, int32_t const*,
                               int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t, nvinfer1::DimsExprs const*,
                            int32_t, nvinfer1::DimsExprs* outputs, int32_t,
                            nvinfer1::IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                            nvinfer1::DynamicPluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t getNbSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                                             int32_t) noexcept override {
        return static_cast<int32_t>(script_.combinations.size());
    }
    int32_t getSupportedFormatCombinations(nvinfer1::DynamicPluginTensorDesc const*, int32_t,
                                           int32_t, nvinfer1::PluginTensorDesc* descs,
                                           int32_t) noexcept override {
        for (std::vector<nvinfer1::DataType> const& combination : script_.combinations) {
            for (nvinfer1::DataType const type : combination) {
                descs->type = type;
                descs->format = nvinfer1::TensorFormat::kLINEAR;
                ++descs;
            }
        }
        return 0;
    }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getNbTactics() noexcept override {
        return static_cast<int32_t>(script_.tactics.size());
    }
    int32_t getValidTactics(int32_t* tactics, int32_t) noexcept override {
        std::copy(script_.tactics.begin(), script_.tactics.end(), tactics);
        return 0;
    }

protected:
    QuickScript& script_;
};

template <typename Base>
class QuickAotBuild : public QuickBuild<Base> {
public:
    using QuickBuild<Base>::QuickBuild;

    int32_t setTactic(int32_t tactic) noexcept override {
        tactic_ = tactic;
        return 0;
    }
    int32_t getLaunchParams(nvinfer1::DimsExprs const* inputs,
                            nvinfer1::DynamicPluginTensorDesc const*, int32_t, int32_t,
                            nvinfer1::IKernelLaunchParams* params, nvinfer1::ISymExprs* extra,
                            nvinfer1::IExprBuilder& builder) noexcept override {
        this->script_.launch(inputs, *params, *extra, builder);
        return 0;
    }
    int32_t getKernel(nvinfer1::PluginTensorDesc const*, int32_t, nvinfer1::PluginTensorDesc const*,
                      int32_t, char const** name, char** kernel, int32_t* size) noexcept override {
        *name = this->script_.entry.c_str();
        *kernel = this->script_.kernel.data();
        *size = static_cast<int32_t>(this->script_.kernel.size());
        return 0;
    }

protected:
    int32_t tactic_ = -1;
};

class QuickCodeBuild final : public QuickAotBuild<IAotBuild> {
public:
    using QuickAotBuild::QuickAotBuild;

    int32_t getCode(nvinfer1::DimsExprs const* inputs, nvinfer1::DynamicPluginTensorDesc const*,
                    int32_t, int32_t, char const*, char const*, IAotCode& code,
                    nvinfer1::IExprBuilder& builder) noexcept override {
        script_.code(inputs, tactic_, code, builder);
        return 0;
    }
};

class QuickPlugin final : public nvinfer1::IPluginV3,
                          public nvinfer1::IPluginV3QuickCore,
                          public nvinfer1::IPluginV3QuickRuntime {
public:
    explicit QuickPlugin(QuickScript& script) : script_(script) {
        if (script.code) {
            build_ = std::make_unique<QuickCodeBuild>(script);
        } else if (script.launch) {
            build_ = std::make_unique<QuickAotBuild<nvinfer1::IPluginV3QuickAOTBuild>>(script);
        } else {
            build_ = std::make_unique<QuickBuild<nvinfer1::IPluginV3QuickBuild>>(script);
        }
    }

    nvinfer1::IPluginCapability* getCapabilityInterface(
        nvinfer1::PluginCapabilityType type) noexcept override {
        using nvinfer1::PluginCapabilityType;
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3QuickCore*>(this);
        case PluginCapabilityType::kBUILD: return build_.get();
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3QuickRuntime*>(this);
        }
        return nullptr;
    }
    nvinfer1::IPluginV3* clone() noexcept override { return new QuickPlugin(script_); }

    char const* getPluginName() const noexcept override { return "Double"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "quick"; }

    int32_t setTactic(int32_t tactic) noexcept override {
        tactic_ = tactic;
        return 0;
    }
    int32_t enqueue(nvinfer1::PluginTensorDesc const* in, nvinfer1::PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs,
                    nvinfer1::Dims const* inputStrides, nvinfer1::Dims const*, int32_t, int32_t,
                    cudaStream_t) noexcept override {
        int64_t count = 1;
        script_.strides.assign(inputStrides[0].d, inputStrides[0].d + inputStrides[0].nbDims);
        for (int32_t i = 0; i < in[0].dims.nbDims; ++i) {
            count *= in[0].dims.d[i];
        }
        for (int64_t i = 0; i < count; ++i) {
            static_cast<float*>(outputs[0])[i] = 2 * static_cast<float const*>(inputs[0])[i];
        }
        script_.ranTactic = tactic_;
        ++script_.runs;
        return 0;
    }
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return &fields_;
    }

private:
    QuickScript& script_;
    std::unique_ptr<nvinfer1::IPluginV3QuickBuild> build_;
    int32_t tactic_ = -1;
    int32_t size_ = 7;
    nvinfer1::PluginField field_{"size", &size_, nvinfer1::PluginFieldType::kINT32, 1};
    nvinfer1::PluginFieldCollection fields_{1, &field_};
};

/// Registered as long as it exists.
class QuickCreator final : public nvinfer1::IPluginCreatorV3Quick {
public:
    explicit QuickCreator(QuickScript& script) : script_(script) {
        getPluginRegistry()->registerCreator(*this, "");
    }
    ~QuickCreator() noexcept override { getPluginRegistry()->deregisterCreator(*this); }
    char const* getPluginName() const noexcept override { return "Double"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "quick"; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV3* createPlugin(
        char const*, char const*, nvinfer1::PluginFieldCollection const* fields,
        nvinfer1::TensorRTPhase phase,
        nvinfer1::QuickPluginCreationRequest wanted) noexcept override {
        request = wanted;
        fieldCount = fields->nbFields;
        lastPhase = phase;
        return new QuickPlugin(script_);
    }

    nvinfer1::QuickPluginCreationRequest request = nvinfer1::QuickPluginCreationRequest::kUNKNOWN;
    nvinfer1::TensorRTPhase lastPhase = nvinfer1::TensorRTPhase::kBUILD;
    int32_t fieldCount = -1;

private:
    QuickScript& script_;
    nvinfer1::PluginFieldCollection fields_{};
};

} // namespace kiln::test
