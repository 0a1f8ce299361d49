// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <kiln/known_values.h>

#include <algorithm>

#include "api/network.h"
#include "api/tensor.h"
#include "graph/real_values.h"
#include "graph/shape_values.h"

namespace kiln {

int64_t knownValues(nvinfer1::ITensor const& tensor, int64_t* values, int64_t capacity) noexcept {
    auto const& own = static_cast<api::Tensor const&>(tensor);
    api::NetworkDefinition& network = own.network();
    return network.reporter().guard(int64_t{-1}, [&]() -> int64_t {
        graph::Network& graph = network.graph();
        auto const found = graph::constantValues(graph.pool(), graph.facts(own.graphTensor()));
        if (!found) {
            return -1;
        }
        auto const count = static_cast<int64_t>(found->size());
        if (values != nullptr) {
            if (count > capacity) {
                return -1;
            }
            std::copy(found->begin(), found->end(), values);
        }
        return count;
    });
}

bool hasShapeValues(nvinfer1::ITensor const& tensor) noexcept {
    auto const& own = static_cast<api::Tensor const&>(tensor);
    api::NetworkDefinition& network = own.network();
    return network.reporter().guard(
        false, [&] { return graph::hasHostValues(network.graph().facts(own.graphTensor())); });
}

} // namespace kiln
