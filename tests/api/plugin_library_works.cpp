// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library that works: y = 2 x. Compiled several times: it registers its creator itself (as
// "StaticDouble"), exports it (as "ExportedDouble"), or exports it without a name. Closing the
// library unloads it.
#include <algorithm>
#include <memory>

#include <NvInfer.h>

namespace {

using namespace nvinfer1;

class Double final : public IPluginV3,
                     public IPluginV3OneCore,
                     public IPluginV3OneBuild,
                     public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return std::make_unique<Double>(*this).release(); }
    char const* getPluginName() const noexcept override { return KILN_TEST_PLUGIN; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* out, int32_t, DataType const* in,
                               int32_t) const noexcept override {
        out[0] = in[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* in, int32_t, DimsExprs const*, int32_t, DimsExprs* out,
                            int32_t, IExprBuilder&) noexcept override {
        out[0] = in[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* io, int32_t,
                                   int32_t) noexcept override {
        return io[pos].desc.type == DataType::kFLOAT &&
               io[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                          int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) noexcept override {
        auto const* const x = static_cast<float const*>(inputs[0]);
        std::transform(x, x + in[0].dims.d[0], static_cast<float*>(outputs[0]),
                       [](float value) { return 2 * value; });
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields_; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

class DoubleCreator final : public IPluginCreatorV3One {
public:
    char const* getPluginName() const noexcept override { return KILN_TEST_PLUGIN; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*,
                            TensorRTPhase) noexcept override {
        return std::make_unique<Double>().release();
    }

private:
    PluginFieldCollection fields_{0, nullptr};
};

#ifdef KILN_TEST_EXPORTS
DoubleCreator creator;
IPluginCreatorInterface* const all[] = {&creator};
#else
REGISTER_TENSORRT_PLUGIN(DoubleCreator);
#endif

} // namespace

#ifdef KILN_TEST_EXPORTS
extern "C" TENSORRTAPI IPluginCreatorInterface* const* getCreators(int32_t& count) {
    count = 1;
    return all;
}
#endif
