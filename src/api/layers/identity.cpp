// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/identity.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using IdentityLayer = OpLayer<nvinfer1::IIdentityLayer, graph::Identity>;

} // namespace

nvinfer1::IIdentityLayer* NetworkDefinition::addIdentity(nvinfer1::ITensor& input) noexcept {
    return addOpLayer<IdentityLayer>(*this, "identity layer", graph::Identity{}, {&input});
}

} // namespace kiln::api
