// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/assertion.h"

#include "api/layers/op_layer.h"
#include "base/text.h"

namespace kiln::api {
namespace {

class AssertionLayer final : public OpLayer<nvinfer1::IAssertionLayer, graph::Assertion> {
public:
    using OpLayer::OpLayer;

    void setMessage(char const* message) noexcept override {
        core().reporter().guard([&] {
            std::string text = orEmpty(message);
            change([&](graph::Assertion& op) { op.message.swap(text); });
        });
    }
    char const* getMessage() const noexcept override { return op().message.c_str(); }
};

} // namespace

nvinfer1::IAssertionLayer* NetworkDefinition::addAssertion(nvinfer1::ITensor& condition,
                                                           char const* message) noexcept {
    return reporter_.guard<nvinfer1::IAssertionLayer*>(nullptr, [&] {
        graph::Assertion op;
        op.message = orEmpty(message);
        return addOpLayer<AssertionLayer>(*this, "assertion layer", op, {&condition});
    });
}

} // namespace kiln::api
