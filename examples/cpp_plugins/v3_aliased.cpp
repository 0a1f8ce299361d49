// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3OneBuildV2: x += y in place. The output uses the memory of input 0, so nothing is copied
// if no other layer reads that input. The builder's configuration needs the preview feature
// ALIASED_PLUGIN_IO_10_03.
#include "plugin_v3.h"

namespace {

using namespace nvinfer1;

class AddInPlace : public example::PluginV3<AddInPlace, IPluginV3OneBuildV2> {
public:
    static constexpr char const* kName = "AddInPlace";

    int32_t getAliasedInput(int32_t) noexcept override { return 0; }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto* const x = static_cast<float*>(outputs[0]);
        auto const* const y = static_cast<float const*>(inputs[1]);
        if (inputs[0] != x) {
            return 1; // the engine guarantees the alias
        }
        for (int64_t i = 0; i < example::elements(inputDesc[0].dims); ++i) {
            x[i] += y[i];
        }
        return 0;
    }
};

using AddInPlaceCreator = example::CreatorV3<AddInPlace>;
REGISTER_TENSORRT_PLUGIN(AddInPlaceCreator);

} // namespace
