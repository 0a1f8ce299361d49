// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dist_collective.h"

#include <algorithm>

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::DistCollective;

class DistCollectiveLayer final : public OpLayer<nvinfer1::IDistCollectiveLayer, DistCollective> {
public:
    using OpLayer::OpLayer;

    bool setNbRanks(int32_t nbRanks) noexcept override {
        return set("number of ranks", [&](DistCollective& op) { op.ranks = nbRanks; });
    }
    int32_t getNbRanks() const noexcept override { return op().ranks; }
};

} // namespace

nvinfer1::IDistCollectiveLayer* NetworkDefinition::addDistCollective(
    nvinfer1::ITensor& input, nvinfer1::CollectiveOperation distCollectiveOp,
    nvinfer1::ReduceOperation reduceOp, int64_t root, int64_t* groups, int64_t groupSize) noexcept {
    return reporter_.guard<nvinfer1::IDistCollectiveLayer*>(nullptr, [&] {
        DistCollective op;
        auto const most = static_cast<int64_t>(op.group.size());
        if (groupSize < 0 || groupSize > most || (groupSize > 0 && groups == nullptr)) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] collective layer: expected an array of 0 to {} ranks, got {} at {}.",
                 most, groupSize, static_cast<void const*>(groups));
        }
        op.operation = distCollectiveOp;
        op.reduction = reduceOp;
        op.root = root;
        op.groupSize = static_cast<int32_t>(groupSize);
        std::copy_n(groups, groupSize, op.group.begin());
        return addOpLayer<DistCollectiveLayer>(*this, "collective layer", op, {&input});
    });
}

} // namespace kiln::api
