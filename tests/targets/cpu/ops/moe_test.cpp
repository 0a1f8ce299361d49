// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/moe.h"

#include <algorithm>
#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

/// act(gate) * up of a token and an expert.
double innerOf(graph::MoE const& op, std::vector<Values> const& x, int64_t token, int64_t expert,
               int64_t column) {
    double gate = 0.0;
    double up = 0.0;
    for (int64_t i = 0; i < x[0].dims.d[2]; ++i) {
        gate += x[0].at({0, token, i}) * x[3].at({expert, i, column});
        up += x[0].at({0, token, i}) * x[4].at({expert, i, column});
    }
    if (op.activation == nvinfer1::MoEActType::kNONE) {
        return gate * up;
    }
    double const limit = static_cast<double>(op.limit);
    gate = std::min(gate, limit);
    up = std::clamp(up, -limit, limit) + static_cast<double>(op.beta);
    return gate / (1.0 + std::exp(-static_cast<double>(op.alpha) * gate)) * up;
}

double expectedAt(graph::MoE const& op, std::vector<Values> const& x, int64_t token,
                  int64_t column) {
    double sum = 0.0;
    for (int64_t slot = 0; slot < x[1].dims.d[2]; ++slot) {
        auto const expert = static_cast<int64_t>(x[1].at({0, token, slot}));
        if (expert < 0 || expert >= x[3].dims.d[0]) {
            continue;
        }
        double result = 0.0;
        for (int64_t i = 0; i < x[5].dims.d[1]; ++i) {
            result += innerOf(op, x, token, expert, i) * x[5].at({expert, i, column});
        }
        sum += x[2].at({0, token, slot}) * result;
    }
    return sum;
}

TEST(MoEKernels, ExpertsOfEachToken) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const tokens : {3, 100}) {
            graph::MoE op;
            op.activation = tokens == 3 ? nvinfer1::MoEActType::kSILU : nvinfer1::MoEActType::kNONE;
            op.limit = 0.75F;
            op.alpha = 1.5F;
            op.beta = 1.0F;
            std::vector<Values> const inputs = {
                randomTensor(type, makeDims({1, tokens, 9}), -1.0, 1.0),
                randomTensor(DataType::kINT64, makeDims({1, tokens, 2}), -1.0, 5.0),
                randomTensor(type, makeDims({1, tokens, 2})),
                randomTensor(type, makeDims({4, 9, 70}), -1.0, 1.0),
                randomTensor(type, makeDims({4, 9, 70}), -1.0, 1.0),
                randomTensor(type, makeDims({4, 70, 9}), -1.0, 1.0)};
            expectAll(op, inputs,
                      [&](auto const& at) { return expectedAt(op, inputs, at[1], at[2]); },
                      {1e-4, roundingOf(type) * 1.01 + 1e-5});
        }
    }
}

} // namespace
} // namespace kiln::test
