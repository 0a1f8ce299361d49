// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CircPadPlugin version "2": circular padding as an IPluginV3, in host memory.
// circ_pad_v3.cu compiles the same class for GPUs.

#include <NvInfer.h>

#include <memory>

#ifdef __CUDACC__
#include "circ_pad_gpu.cuh"
#else
#include "circ_pad_host.h"
#endif

namespace {

using namespace nvinfer1;

class CircPadPluginV3 : public IPluginV3,
                        public IPluginV3OneCore,
                        public IPluginV3OneBuild,
                        public IPluginV3OneRuntime {
public:
    explicit CircPadPluginV3(circ_pad::Pads pads) : pads_(std::move(pads)) {}

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    IPluginV3* clone() noexcept override {
        auto copy = std::make_unique<CircPadPluginV3>(pads_);
        copy->gather_ = gather_;
        return copy.release();
    }

    // Core ------------------------------------------------------------------------------------

    char const* getPluginName() const noexcept override { return circ_pad::kName; }
    char const* getPluginVersion() const noexcept override { return "2"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    // Build -----------------------------------------------------------------------------------

    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder& builder) noexcept override {
        if (circ_pad::padShape(inputs[0], pads_, builder, outputs[0])) {
            return 0;
        }
        circ_pad::logError(std::invalid_argument("pads has more dimensions than the input"));
        return 1;
    }

    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return circ_pad::isSupported(inOut[pos].desc, inOut[0].desc);
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }

    // Runtime ---------------------------------------------------------------------------------

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    // Called before enqueue when a shape changes: prepares the data that depends only on shapes.
    int32_t onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override try {
        gather_ = circ_pad::makeGather(in[0].dims, pads_);
        return 0;
    } catch (std::exception const& error) {
        circ_pad::logError(error);
        return 1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t stream) noexcept override {
        if (!logged_ || loggedType_ != inputDesc[0].type) {
            circ_pad::logType(inputDesc[0].type);
            logged_ = true;
            loggedType_ = inputDesc[0].type;
        }
        return circ_pad::run(gather_, inputDesc[0].type, inputs[0], outputs[0], stream) ? 0 : 1;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        field_ = {circ_pad::kField, pads_.data(), PluginFieldType::kINT32,
                  static_cast<int32_t>(pads_.size())};
        fields_ = {1, &field_};
        return &fields_;
    }

private:
    circ_pad::Pads pads_;
    circ_pad::Gather gather_;
    PluginField field_;
    PluginFieldCollection fields_{0, nullptr};
    bool logged_ = false;
    DataType loggedType_ = DataType::kFLOAT;
};

class CircPadPluginV3Creator : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return circ_pad::kName; }
    char const* getPluginVersion() const noexcept override { return "2"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }

    // The same in both phases: a plan returns the fields of getFieldsToSerialize.
    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fields,
                            TensorRTPhase) noexcept override try {
        return new CircPadPluginV3(circ_pad::readPads(*fields));
    } catch (std::exception const& error) {
        circ_pad::logError(error);
        return nullptr;
    }

private:
    PluginField field_{circ_pad::kField, nullptr, PluginFieldType::kINT32, 0};
    PluginFieldCollection fields_{1, &field_};
};

REGISTER_TENSORRT_PLUGIN(CircPadPluginV3Creator);

} // namespace
