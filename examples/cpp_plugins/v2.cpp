// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2: y = factor * x. One type and format for all tensors, negotiated by supportsFormat().
#include "plugin_v2.h"

namespace {

using namespace nvinfer1;

struct State {
    float attribute = 1; // the factor
    int64_t row = 0;     // elements of one batch entry, set by configureWithFormat()
};

class Scale : public example::PluginV2<Scale, IPluginV2, State> {
public:
    static constexpr char const* kName = "ScaleV2";
    static constexpr char const* kAttribute = "factor";

    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) noexcept override {
        return inputs[0];
    }
    bool supportsFormat(DataType type, PluginFormat format) const noexcept override {
        return type == DataType::kFLOAT && format == PluginFormat::kLINEAR;
    }
    void configureWithFormat(Dims const* inputs, int32_t, Dims const*, int32_t, DataType,
                             PluginFormat, int32_t) noexcept override {
        state.row = example::elements(inputs[0]);
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<float*>(outputs[0]);
        for (int64_t i = 0; i < batch * state.row; ++i) {
            y[i] = state.attribute * x[i];
        }
        return 0;
    }
};

using ScaleCreator = example::CreatorV2<Scale>;
REGISTER_TENSORRT_PLUGIN(ScaleCreator);

} // namespace
