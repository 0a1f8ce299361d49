// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2Ext: the largest element of each batch entry. The plugin chooses the type of each output
// and gets the context's allocator in attachToContext().
#include "plugin_v2.h"

#include <algorithm>

namespace {

using namespace nvinfer1;

struct State {
    float attribute = 0; // none
    int64_t row = 0;
};

class RowMax : public example::PluginV2<RowMax, IPluginV2Ext, State> {
public:
    static constexpr char const* kName = "RowMaxV2Ext";
    static constexpr char const* kAttribute = "";

    // One element per batch entry.
    Dims getOutputDimensions(int32_t, Dims const*, int32_t) noexcept override {
        return Dims{1, {1}};
    }
    DataType getOutputDataType(int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        return inputTypes[0];
    }
    bool supportsFormat(DataType type, PluginFormat format) const noexcept override {
        return type == DataType::kFLOAT && format == PluginFormat::kLINEAR;
    }
    void configurePlugin(Dims const* inputs, int32_t, Dims const*, int32_t, DataType const*,
                         DataType const*, bool const*, bool const*, PluginFormat,
                         int32_t) noexcept override {
        state.row = example::elements(inputs[0]);
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<float*>(outputs[0]);
        for (int32_t i = 0; i < batch; ++i, x += state.row) {
            y[i] = *std::max_element(x, x + state.row);
        }
        return 0;
    }
};

using RowMaxCreator = example::CreatorV2<RowMax>;
REGISTER_TENSORRT_PLUGIN(RowMaxCreator);

} // namespace
