// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/nms.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Nms;
using nvinfer1::BoundingBoxFormat;
using nvinfer1::DataType;

class NmsLayer final : public OpLayer<nvinfer1::INMSLayer, Nms> {
public:
    using OpLayer::OpLayer;

    void setBoundingBoxFormat(BoundingBoxFormat format) noexcept override {
        set("bounding box format", [&](Nms& op) { op.format = format; });
    }
    BoundingBoxFormat getBoundingBoxFormat() const noexcept override { return op().format; }

    void setTopKBoxLimit(int32_t limit) noexcept override {
        set("top-k box limit", [&](Nms& op) { op.limit = limit; });
    }
    int32_t getTopKBoxLimit() const noexcept override { return op().limit; }

    bool setIndicesType(DataType type) noexcept override {
        return set("indices type", [&](Nms& op) { op.indexType = type; });
    }
    DataType getIndicesType() const noexcept override { return op().indexType; }

    /// The thresholds may be set in any order.
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        if (index != Nms::kOverlap && index != Nms::kLeastScore) {
            OpLayer::setInput(index, tensor);
            return;
        }
        core().reporter().guard([&] {
            graph::Tensor& source = core().network().unwrap(tensor, core().inputName(index));
            core().network().graph().setNodeInput(core().node(), index, &source);
        });
    }
};

} // namespace

nvinfer1::INMSLayer* NetworkDefinition::addNMS(nvinfer1::ITensor& boxes, nvinfer1::ITensor& scores,
                                               nvinfer1::ITensor& maxOutputBoxesPerClass) noexcept {
    return addNMS(boxes, scores, maxOutputBoxesPerClass, DataType::kINT32);
}

nvinfer1::INMSLayer* NetworkDefinition::addNMS(nvinfer1::ITensor& boxes, nvinfer1::ITensor& scores,
                                               nvinfer1::ITensor& maxOutputBoxesPerClass,
                                               DataType indicesType) noexcept {
    Nms op;
    op.indexType = indicesType;
    return addOpLayer<NmsLayer>(*this, "NMS layer", op, {&boxes, &scores, &maxOutputBoxesPerClass});
}

} // namespace kiln::api
