// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graph/op_base.h"
#include "kiln/api/network/collective_operation.h"
#include "kiln/api/network/reduce_operation.h"

namespace kiln::graph {

/// Exchanges tensors between the devices of a group. Among one device, the result is the operand.
class DistCollective final : public OpBase<DistCollective> {
public:
    static constexpr std::string_view kKind = "DistCollective";
    static constexpr auto kLayerType = nvinfer1::LayerType::kDIST_COLLECTIVE;
    static constexpr std::size_t kMostRanks = 64;

    nvinfer1::CollectiveOperation operation = nvinfer1::CollectiveOperation::kALL_REDUCE;
    nvinfer1::ReduceOperation reduction = nvinfer1::ReduceOperation::kNONE;
    int64_t root = -1; ///< -1: none
    int32_t ranks = 1; ///< number of devices
    int32_t groupSize = 0;
    std::array<int64_t, kMostRanks> group{}; ///< the first groupSize: ranks that take part; 0: all

    bool reduces() const;
    bool hasRoot() const;
    /// How many devices take part.
    int64_t members() const { return groupSize > 0 ? groupSize : ranks; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation, self.reduction, self.root, self.ranks, self.groupSize, self.group);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    /// All devices must see the same type.
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
    std::unique_ptr<Region> parts(InferContext const& context) const override;
};

} // namespace kiln::graph
