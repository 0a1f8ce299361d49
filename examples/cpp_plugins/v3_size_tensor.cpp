// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Data-dependent shapes: the indices of the elements that are not zero. Output 1 is a size tensor:
// its value, known after the plugin ran, is the extent of output 0. The program gets output 0
// through an IOutputAllocator.
#include "plugin_v3.h"

namespace {

using namespace nvinfer1;

class NonZero : public example::PluginV3<NonZero> {
public:
    static constexpr char const* kName = "NonZero";

    int32_t getNbOutputs() const noexcept override { return 2; }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const*,
                               int32_t) const noexcept override {
        outputTypes[0] = DataType::kINT32;
        outputTypes[1] = DataType::kINT32;
        return 0;
    }

    // Estimate: half of the elements; upper bound: all of them.
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder& builder) noexcept override {
        IDimensionExpr const& all = *inputs[0].d[0];
        IDimensionExpr const* const half =
            builder.operation(DimensionOperation::kCEIL_DIV, all, *builder.constant(2));
        outputs[0].nbDims = 1;
        outputs[0].d[0] = builder.declareSizeTensor(1, *half, all);
        outputs[1].nbDims = 0;
        return outputs[0].d[0] == nullptr ? 1 : 0;
    }

    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return inOut[pos].desc.format == TensorFormat::kLINEAR &&
               inOut[pos].desc.type == (pos == 0 ? DataType::kFLOAT : DataType::kINT32);
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* const places = static_cast<int32_t*>(outputs[0]);
        int32_t count = 0;
        for (int64_t i = 0; i < inputDesc[0].dims.d[0]; ++i) {
            if (x[i] != 0) {
                places[count++] = static_cast<int32_t>(i);
            }
        }
        *static_cast<int32_t*>(outputs[1]) = count;
        return 0;
    }
};

using NonZeroCreator = example::CreatorV3<NonZero>;
REGISTER_TENSORRT_PLUGIN(NonZeroCreator);

} // namespace
