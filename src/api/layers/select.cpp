// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/select.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using SelectLayer = OpLayer<nvinfer1::ISelectLayer, graph::Select>;

} // namespace

nvinfer1::ISelectLayer* NetworkDefinition::addSelect(nvinfer1::ITensor& condition,
                                                     nvinfer1::ITensor& thenInput,
                                                     nvinfer1::ITensor& elseInput) noexcept {
    return addOpLayer<SelectLayer>(*this, "select layer", graph::Select{},
                                   {&condition, &thenInput, &elseInput});
}

} // namespace kiln::api
