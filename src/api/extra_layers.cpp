// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <kiln/extra_layers.h>

#include "api/layers/op_layer.h"
#include "graph/ops/bit_cast.h"
#include "graph/ops/determinant.h"
#include "graph/ops/double_math.h"
#include "graph/ops/roi_align.h"
#include "graph/ops/scatter.h"
#include "graph/ops/unique.h"

namespace kiln {
namespace {

template <typename Op>
nvinfer1::ILayer* added(nvinfer1::INetworkDefinition& network, char const* kind, Op const& op,
                        std::initializer_list<nvinfer1::ITensor*> inputs) noexcept {
    using Layer = api::OpLayer<nvinfer1::ILayer, Op>;
    return api::addOpLayer<Layer>(static_cast<api::NetworkDefinition&>(network), kind, op, inputs);
}

} // namespace

nvinfer1::ILayer* addRoiAlign(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& images,
                              nvinfer1::ITensor& boxes, nvinfer1::ITensor& batch,
                              RoiAlignParams const& params) noexcept {
    graph::RoiAlign op;
    op.params = params;
    return added(network, "RoI align layer", op, {&images, &boxes, &batch});
}

nvinfer1::ILayer* addUnique(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& input,
                            bool sorted, int32_t axis) noexcept {
    graph::Unique op;
    op.sorted = sorted;
    op.axis = axis;
    return added(network, "unique layer", op, {&input});
}

nvinfer1::ILayer* addDeterminant(nvinfer1::INetworkDefinition& network,
                                 nvinfer1::ITensor& input) noexcept {
    return added(network, "determinant layer", graph::Determinant{}, {&input});
}

nvinfer1::ILayer* addBitCast(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& input,
                             nvinfer1::DataType type) noexcept {
    graph::BitCast op;
    op.type = type;
    return added(network, "bit cast layer", op, {&input});
}

nvinfer1::ILayer* addDoubleMath(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& x,
                                nvinfer1::ITensor* y, DoubleOperation operation) noexcept {
    graph::DoubleMath op;
    op.operation = operation;
    return y == nullptr ? added(network, "double math layer", op, {&x})
                        : added(network, "double math layer", op, {&x, y});
}

} // namespace kiln
