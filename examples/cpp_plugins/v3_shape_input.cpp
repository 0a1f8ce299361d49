// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shape inputs: repeats x [n] as often as a shape tensor says, y [times, n]. The values of a shape
// input are known before the engine runs, so they may determine shapes; getOutputShapes() gets them
// as expressions, one for each element.
#include "plugin_v3.h"

#include <algorithm>

namespace {

using namespace nvinfer1;

class Repeat : public example::PluginV3<Repeat> {
public:
    static constexpr char const* kName = "Repeat";

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const* shapeInputs, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        outputs[0].nbDims = 2;
        outputs[0].d[0] = shapeInputs[0].d[0];
        outputs[0].d[1] = inputs[0].d[0];
        return 0;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* y = static_cast<float*>(outputs[0]);
        for (int64_t i = 0; i < outputDesc[0].dims.d[0]; ++i) {
            y = std::copy(x, x + inputDesc[0].dims.d[0], y);
        }
        return 0;
    }
};

using RepeatCreator = example::CreatorV3<Repeat>;
REGISTER_TENSORRT_PLUGIN(RepeatCreator);

} // namespace
