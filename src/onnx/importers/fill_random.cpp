// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// RandomUniform, RandomNormal and their Like variants.
// Layer: fill. The numbers are Kiln's own: `seed` has no effect.

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::FillOperation;

namespace {

DataType typeOf(NodeContext& context, DataType otherwise) {
    auto& attributes = context.attributes();
    if (!attributes.has("dtype")) {
        return otherwise;
    }
    int64_t const number = attributes.integer("dtype", 0);
    auto const type = static_cast<ElementType>(toInt32(number, "attribute 'dtype'"));
    return requireDataType(type, "attribute 'dtype'");
}

void setBounds(NodeContext& context, nvinfer1::IFillLayer& layer) {
    auto& attributes = context.attributes();
    bool const uniform = layer.getOperation() == FillOperation::kRANDOM_UNIFORM;
    layer.setAlpha(attributes.real(uniform ? "low" : "mean", 0.0F));
    layer.setBeta(attributes.real(uniform ? "high" : "scale", 1.0F));
    static_cast<void>(attributes.real("seed", 0.0F));
    context.setOutput(layer);
}

template <FillOperation kOperation>
void importRandom(NodeContext& context) {
    auto const shape = context.attributes().integers("shape", {});
    auto* layer = context.network().addFill(toDims(shape, "attribute 'shape'"), kOperation,
                                            typeOf(context, DataType::kFLOAT));
    setBounds(context, context.named(layer));
}

template <FillOperation kOperation>
void importRandomLike(NodeContext& context) {
    nvinfer1::ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    auto* layer = context.network().addFill(repeatedDims(rank, 0, "shape"), kOperation,
                                            typeOf(context, tensor.getType()));
    auto& named = context.named(layer);
    named.setInput(0, ShapeMath(context).extents(tensor));
    setBounds(context, named);
}

} // namespace

void registerImporter_fill_random(ImporterRegistry& registry) {
    registry.add("RandomNormal", importRandom<FillOperation::kRANDOM_NORMAL>);
    registry.add("RandomNormalLike", importRandomLike<FillOperation::kRANDOM_NORMAL>);
    registry.add("RandomUniform", importRandom<FillOperation::kRANDOM_UNIFORM>);
    registry.add("RandomUniformLike", importRandomLike<FillOperation::kRANDOM_UNIFORM>);
}

} // namespace kiln::onnx
