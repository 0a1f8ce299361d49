// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/einsum.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Einsum;

class EinsumLayer final : public OpLayer<nvinfer1::IEinsumLayer, Einsum> {
public:
    using OpLayer::OpLayer;

    bool setEquation(char const* equation) noexcept override {
        if (equation == nullptr) {
            core().reject("equation", "expected a text, got a null pointer.");
            return false;
        }
        return set("equation", [&](Einsum& op) { op.equation = equation; });
    }
    char const* getEquation() const noexcept override { return op().equation.c_str(); }
};

} // namespace

nvinfer1::IEinsumLayer* NetworkDefinition::addEinsum(nvinfer1::ITensor* const* inputs,
                                                     int32_t nbInputs,
                                                     char const* equation) noexcept {
    return reporter_.guard<nvinfer1::IEinsumLayer*>(nullptr, [&]() -> nvinfer1::IEinsumLayer* {
        if (inputs == nullptr || nbInputs < 1 || equation == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] einsum layer: expected 1 or more inputs and an equation, got {} "
                 "inputs{}{}.",
                 nbInputs, inputs == nullptr ? " at a null pointer" : "",
                 equation == nullptr ? " and a null pointer" : "");
        }
        auto op = std::make_unique<Einsum>();
        op->equation = equation;
        if (std::string const problem = op->problem(); !problem.empty()) {
            fail(ErrorKind::kInvalidArgument, "[network] einsum layer: {}", problem);
        }
        std::vector<nvinfer1::ITensor*> const tensors(inputs, inputs + nbInputs);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i] == nullptr) {
                fail(ErrorKind::kInvalidArgument,
                     "[network] einsum layer: input {} is null. Pass a tensor of the network.", i);
            }
        }
        return addLayer<EinsumLayer>("einsum layer", std::move(op), tensors);
    });
}

} // namespace kiln::api
