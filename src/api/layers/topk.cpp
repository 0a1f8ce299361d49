// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/topk.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::TopK;
using nvinfer1::DataType;
using nvinfer1::TopKOperation;

class TopKLayer final : public OpLayer<nvinfer1::ITopKLayer, TopK> {
public:
    using OpLayer::OpLayer;

    void setOperation(TopKOperation operation) noexcept override {
        set("operation", [&](TopK& op) { op.operation = operation; });
    }
    TopKOperation getOperation() const noexcept override { return op().operation; }

    void setK(int32_t k) noexcept override {
        if (set("k", [&](TopK& op) { op.k = k; }) && getNbInputs() > TopK::kCount) {
            core().network().graph().setNodeInput(core().node(), TopK::kCount, nullptr);
        }
    }
    int32_t getK() const noexcept override { return op().k; }

    void setReduceAxes(uint32_t reduceAxes) noexcept override {
        set("axes", [&](TopK& op) { op.axes = reduceAxes; });
    }
    uint32_t getReduceAxes() const noexcept override { return op().axes; }

    bool setIndicesType(DataType type) noexcept override {
        return set("indices type", [&](TopK& op) { op.indexType = type; });
    }
    DataType getIndicesType() const noexcept override { return op().indexType; }
};

} // namespace

nvinfer1::ITopKLayer* NetworkDefinition::addTopK(nvinfer1::ITensor& input, TopKOperation operation,
                                                 int32_t k, uint32_t reduceAxes) noexcept {
    return addTopK(input, operation, k, reduceAxes, DataType::kINT32);
}

nvinfer1::ITopKLayer* NetworkDefinition::addTopK(nvinfer1::ITensor& input, TopKOperation operation,
                                                 int32_t k, uint32_t reduceAxes,
                                                 DataType indicesType) noexcept {
    TopK op;
    op.operation = operation;
    op.k = k;
    op.axes = reduceAxes;
    op.indexType = indicesType;
    return addOpLayer<TopKLayer>(*this, "top-k layer", op, {&input});
}

} // namespace kiln::api
