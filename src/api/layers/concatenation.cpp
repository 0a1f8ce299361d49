// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/concatenation.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Concatenation;

class ConcatenationLayer final : public OpLayer<nvinfer1::IConcatenationLayer, Concatenation> {
public:
    using OpLayer::OpLayer;

    void setAxis(int32_t axis) noexcept override {
        if (axis < 0) { // the op uses -1 for "not set"
            core().reject("axis", "expected 0 or more, got {}.", axis);
            return;
        }
        set("axis", [&](Concatenation& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override {
        nvinfer1::ITensor const* const first = getInput(0);
        return op().axisFor(first == nullptr ? 0 : first->getDimensions().nbDims);
    }
};

} // namespace

nvinfer1::IConcatenationLayer* NetworkDefinition::addConcatenation(nvinfer1::ITensor* const* inputs,
                                                                   int32_t nbInputs) noexcept {
    return reporter_.guard<nvinfer1::IConcatenationLayer*>(nullptr, [&] {
        if (nbInputs < 1 || inputs == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] concatenation layer: expected an array of 1 or more inputs, got {}{}.",
                 nbInputs, inputs == nullptr ? " and a null array" : "");
        }
        std::vector<nvinfer1::ITensor*> const tensors(inputs, inputs + nbInputs);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i] == nullptr) {
                fail(ErrorKind::kInvalidArgument,
                     "[network] concatenation layer: input {} is null. Pass a tensor of the "
                     "network.",
                     i);
            }
        }
        return addLayer<ConcatenationLayer>("concatenation layer",
                                            std::make_unique<Concatenation>(), tensors);
    });
}

} // namespace kiln::api
