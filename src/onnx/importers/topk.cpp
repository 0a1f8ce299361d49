// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// TopK: k is an attribute up to opset 9, else input 1, which may be a shape tensor. ArgMax and
// ArgMin: the index of the best one, from the end if the last of equal ones is asked for.
// Layer: top-k. Results are sorted, also where the order is free.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ITensor;
using nvinfer1::TopKOperation;

namespace {

uint32_t maskOf(int64_t axis, int32_t rank) {
    return 1U << static_cast<uint32_t>(toAxis(axis, rank));
}

void importTopK(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    auto& attributes = context.attributes();
    uint32_t const mask = maskOf(attributes.integer("axis", -1), context.dims(tensor).nbDims);
    bool const largest = attributes.flag("largest", true);
    static_cast<void>(attributes.flag("sorted", true));
    int64_t const k = attributes.integer("k", 0);
    auto* layer = context.network().addTopK(
        tensor, largest ? TopKOperation::kMAX : TopKOperation::kMIN,
        context.opset() >= 10 ? 0 : toInt32(k, "attribute 'k'"), mask, DataType::kINT64);
    auto& named = context.named(layer);
    if (context.opset() >= 10) {
        named.setInput(1, context.tensor(1));
    }
    context.setOutput(0, Value(*named.getOutput(0)));
    context.setOutput(1, Value(*named.getOutput(1)));
}

template <TopKOperation kOperation>
void importArg(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    auto& attributes = context.attributes();
    int32_t const rank = context.dims(tensor).nbDims;
    int32_t const axis = toAxis(attributes.integer("axis", 0), rank);
    Term x(context, tensor);
    bool const isNarrow = x.type() == DataType::kINT8 || x.type() == DataType::kUINT8;
    x = isNarrow ? x.cast(DataType::kINT32) : x;
    bool const last = attributes.flag("select_last_index", false);
    Term const extent = x.extent(axis);
    auto* layer = context.network().addTopK((last ? x.reversed(axis) : x).tensor(), kOperation, 1,
                                            maskOf(axis, rank), DataType::kINT64);
    ITensor& found = *context.named(layer).getOutput(1);
    Value const index = last ? (extent - 1 - Term(context, found)).value() : Value(found);
    bool const keeps = attributes.flag("keepdims", true);
    context.setOutput(0, keeps ? index : removeAxes(context, index, {axis}, "squeeze"));
}

} // namespace

void registerImporter_topk(ImporterRegistry& registry) {
    registry.add("ArgMax", importArg<TopKOperation::kMAX>);
    registry.add("ArgMin", importArg<TopKOperation::kMIN>);
    registry.add("TopK", importTopK);
}

} // namespace kiln::onnx
