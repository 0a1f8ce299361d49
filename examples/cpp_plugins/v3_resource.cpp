// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugin resources: converts pixels [0, 255] to light, with a table that all contexts of the
// process share. The registry keeps one clone of the table under a key and counts its users.
#include "plugin_v3.h"

#include <array>
#include <cmath>
#include <memory>

namespace {

using namespace nvinfer1;

// A table is filled when the registry clones it, and emptied when the last user releases it.
class GammaTable : public IPluginResource {
public:
    IPluginResource* clone() noexcept override {
        auto filled = std::make_unique<GammaTable>();
        filled->values = std::make_unique<std::array<float, 256>>();
        for (size_t i = 0; i < filled->values->size(); ++i) {
            (*filled->values)[i] = std::pow(static_cast<float>(i) / 255.0F, 2.2F);
        }
        return filled.release();
    }
    int32_t release() noexcept override {
        values.reset();
        return 0;
    }

    std::unique_ptr<std::array<float, 256>> values;
};

constexpr char const* kKey = "PixelsToLight/table";

class PixelsToLight : public example::PluginV3<PixelsToLight> {
public:
    static constexpr char const* kName = "PixelsToLight";

    PixelsToLight() = default;
    PixelsToLight(PixelsToLight const&) : PluginV3() {} // each context's copy acquires its table
    ~PixelsToLight() override {
        if (table_ != nullptr) {
            getPluginRegistry()->releasePluginResource(kKey);
        }
    }

    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const*,
                               int32_t) const noexcept override {
        outputTypes[0] = DataType::kFLOAT;
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].desc.format == TensorFormat::kLINEAR &&
               inOut[pos].desc.type == (pos == 0 ? DataType::kINT32 : DataType::kFLOAT);
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override {
        auto copy = std::make_unique<PixelsToLight>(*this);
        GammaTable empty; // still owned here; the registry keeps a clone
        copy->table_ =
            static_cast<GammaTable*>(getPluginRegistry()->acquirePluginResource(kKey, &empty));
        return copy->table_ == nullptr ? nullptr : copy.release();
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* const pixels = static_cast<int32_t const*>(inputs[0]);
        auto* const light = static_cast<float*>(outputs[0]);
        for (int64_t i = 0; i < example::elements(inputDesc[0].dims); ++i) {
            light[i] = (*table_->values)[static_cast<size_t>(pixels[i] & 255)];
        }
        return 0;
    }

private:
    GammaTable* table_ = nullptr;
};

using PixelsToLightCreator = example::CreatorV3<PixelsToLight>;
REGISTER_TENSORRT_PLUGIN(PixelsToLightCreator);

} // namespace
