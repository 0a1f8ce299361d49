// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NonMaxSuppression: boxes [batch, count, 4] and scores [batch, classes, count] to
// [selected, 3] indices of batch, class and box, in this order and by falling score.
// Layer: NMS. The number of results is known after the layer ran.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <limits>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// An input of one element, as a scalar, or a constant.
Term scalarInput(NodeContext& context, size_t index, double otherwise, DataType type) {
    if (!context.hasInput(index)) {
        return Term::number(context, otherwise, type);
    }
    Term const x = Term::input(context, index);
    return (x.rank() == 1 ? x.reshaped(std::vector<int64_t>{}) : x).cast(type);
}

// The layer sorts the results of a batch item by score alone: each class is a batch item of its
// own.
void importNonMaxSuppression(NodeContext& context) {
    using nvinfer1::BoundingBoxFormat;
    bool const centered = context.attributes().integer("center_point_box", 0) == 1;
    Term const boxes = Term::input(context, 0);
    Term const scores = Term::input(context, 1);
    Term const classes = scores.extent(1);
    Term const items = scores.extents({0, 1}).product({0});
    Term const count = scores.extent(2);
    Term const one = Term::vector(context, {1});
    Term const four = Term::vector(context, {4});
    Term const repeated = boxes.inserted({1})
                              .expanded(Term::joined({scores.extents({0, 1, 2}), four}, 0))
                              .reshaped(Term::joined({items, count, four}, 0));
    Term const each = scores.reshaped(Term::joined({items, count, one}, 0));
    Term const most = scalarInput(context, 2, 0, DataType::kINT64)
                          .min(std::numeric_limits<int32_t>::max())
                          .cast(DataType::kINT32);
    auto* layer =
        context.network().addNMS(repeated.tensor(), each.tensor(), most.tensor(), DataType::kINT64);
    Term const rows = boxes.of(layer);
    layer->setBoundingBoxFormat(centered ? BoundingBoxFormat::kCENTER_SIZES
                                         : BoundingBoxFormat::kCORNER_PAIRS);
    layer->setTopKBoxLimit(std::numeric_limits<int32_t>::max());
    layer->setInput(3, scalarInput(context, 3, 0, DataType::kFLOAT).tensor());
    layer->setInput(
        4,
        scalarInput(context, 4, std::numeric_limits<float>::lowest(), DataType::kFLOAT).tensor());
    Term const item = rows.sliced(1, 0, 1);
    Term const batch = item.floorDiv(classes);
    context.setOutput(
        0, Term::joined({batch, item - batch * classes, rows.sliced(1, 2, 1)}, 1).value());
}

} // namespace

void registerImporter_nms(ImporterRegistry& registry) {
    registry.add("NonMaxSuppression", importNonMaxSuppression);
}

} // namespace kiln::onnx
