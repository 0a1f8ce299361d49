// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <pybind11/stl.h>

#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_dist_collective(LayerBindings& bindings) {
    LayerClass<IDistCollectiveLayer>(bindings, LayerType::kDIST_COLLECTIVE, "IDistCollectiveLayer",
                                     "Exchanges tensors between the devices of a group. num_ranks "
                                     "is the number of devices.");
    bindings.network.def(
        "add_dist_collective",
        [](INetworkDefinition& network, ITensor& input, CollectiveOperation operation,
           std::optional<ReduceOperation> reduction, std::optional<int64_t> root,
           std::optional<std::vector<int64_t>> groups) {
            std::vector<int64_t> ranks = groups.value_or(std::vector<int64_t>());
            return network.addDistCollective(
                input, operation, reduction.value_or(ReduceOperation::kNONE), root.value_or(-1),
                ranks.empty() ? nullptr : ranks.data(), static_cast<int64_t>(ranks.size()));
        },
        "input"_a, "dist_collective_op"_a, "reduce_op"_a.none(true), "root"_a.none(true),
        "groups"_a.none(true), kInternal,
        "Adds an exchange between devices; reduce_op, root and groups may be None. Returns an "
        "IDistCollectiveLayer.");
}

} // namespace kiln::python
