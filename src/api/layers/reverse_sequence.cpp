// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reverse_sequence.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::ReverseSequence;

class ReverseSequenceLayer final
    : public OpLayer<nvinfer1::IReverseSequenceLayer, ReverseSequence> {
public:
    using OpLayer::OpLayer;

    void setBatchAxis(int32_t batchAxis) noexcept override {
        set("batch axis", [&](ReverseSequence& op) { op.batchAxis = batchAxis; });
    }
    int32_t getBatchAxis() const noexcept override { return op().batchAxis; }

    void setSequenceAxis(int32_t sequenceAxis) noexcept override {
        set("sequence axis", [&](ReverseSequence& op) { op.sequenceAxis = sequenceAxis; });
    }
    int32_t getSequenceAxis() const noexcept override { return op().sequenceAxis; }
};

} // namespace

nvinfer1::IReverseSequenceLayer* NetworkDefinition::addReverseSequence(
    nvinfer1::ITensor& input, nvinfer1::ITensor& sequenceLens) noexcept {
    return addOpLayer<ReverseSequenceLayer>(*this, "reverse-sequence layer", ReverseSequence{},
                                            {&input, &sequenceLens});
}

} // namespace kiln::api
