// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Bernoulli and Multinomial: random numbers with given probabilities.
// Layer: fill and elementwise. The numbers are Kiln's own: `seed` has no effect.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

DataType wantedType(NodeContext& context, DataType otherwise) {
    auto& attributes = context.attributes();
    static_cast<void>(attributes.real("seed", 0.0F));
    if (!attributes.has("dtype")) {
        return otherwise;
    }
    int64_t const number = attributes.integer("dtype", 1);
    return requireDataType(static_cast<ElementType>(toInt32(number, "attribute 'dtype'")),
                           "attribute 'dtype'");
}

// Numbers from 0 to 1.
Term uniform(Term shape) {
    NodeContext& context = shape.context();
    int32_t const rank = toRank(shape.dims().d[0], "shape");
    auto* layer = context.network().addFill(
        repeatedDims(rank, 0, "shape"), nvinfer1::FillOperation::kRANDOM_UNIFORM, DataType::kFLOAT);
    Term const result = shape.of(layer);
    layer->setAlpha(0.0);
    layer->setBeta(1.0);
    layer->setInput(0, shape.tensor());
    return result;
}

void importBernoulli(NodeContext& context) {
    Term const x = Term::input(context, 0);
    DataType const type = wantedType(context, x.type());
    Term const isHit = uniform(x.shape()) < x.cast(DataType::kFLOAT);
    context.setOutput(0, isHit.cast(type).value());
}

// How many of the sums of probabilities are below a random number.
void importMultinomial(NodeContext& context) {
    Term const x = Term::input(context, 0).cast(DataType::kFLOAT);
    int64_t const samples = context.attributes().integer("sample_size", 1);
    DataType const type = wantedType(context, DataType::kINT32);
    Term const sums = x.softmax(1).runningSum(1);
    Term const classes = sums.extent(1).cast(DataType::kFLOAT);
    Term const drawn = uniform(Term::joined({x.extent(0), Term::vector(context, {samples})}, 0));
    Term const below = (sums.inserted({1}) < drawn.inserted({2})).cast(DataType::kFLOAT);
    context.setOutput(0, below.sum({2}, false).min(classes - 1).cast(type).value());
}

} // namespace

void registerImporter_random_choice(ImporterRegistry& registry) {
    registry.add("Bernoulli", importBernoulli);
    registry.add("Multinomial", importMultinomial);
}

} // namespace kiln::onnx
