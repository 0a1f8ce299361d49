// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2IOExt: the index of the largest element of each batch entry. Input and output have
// different types, float and int32, negotiated for each tensor.
#include "plugin_v2.h"

#include <algorithm>

namespace {

using namespace nvinfer1;

struct State {
    float attribute = 0; // none
    int64_t row = 0;
};

class RowArgMax : public example::PluginV2<RowArgMax, IPluginV2IOExt, State> {
public:
    static constexpr char const* kName = "RowArgMaxV2IOExt";
    static constexpr char const* kAttribute = "";

    Dims getOutputDimensions(int32_t, Dims const*, int32_t) noexcept override {
        return Dims{1, {1}};
    }
    DataType getOutputDataType(int32_t, DataType const*, int32_t) const noexcept override {
        return DataType::kINT32;
    }
    // Operand 0 is the input, operand 1 the output.
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t,
                                   int32_t) const noexcept override {
        return inOut[pos].format == TensorFormat::kLINEAR &&
               inOut[pos].type == (pos == 0 ? DataType::kFLOAT : DataType::kINT32);
    }
    void configurePlugin(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*,
                         int32_t) noexcept override {
        state.row = example::elements(in[0].dims);
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<int32_t*>(outputs[0]);
        for (int32_t i = 0; i < batch; ++i, x += state.row) {
            y[i] = static_cast<int32_t>(std::max_element(x, x + state.row) - x);
        }
        return 0;
    }
};

using RowArgMaxCreator = example::CreatorV2<RowArgMax>;
REGISTER_TENSORRT_PLUGIN(RowArgMaxCreator);

} // namespace
