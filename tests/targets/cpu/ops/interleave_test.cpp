// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/interleave.h"

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

TEST(InterleaveKernels, BothFormats) {
    for (auto const& [groups, stride, before] :
         {std::tuple(1, makeDims({2, 2}), makeDims({0, 0})),
          std::tuple(1, makeDims({2, 2}), makeDims({1, 1})),
          std::tuple(2, makeDims({1, 3}), makeDims({0, 4})),
          std::tuple(3, makeDims({3, 1}), makeDims({2, 0}))}) {
        graph::Interleave op;
        op.groups = groups;
        op.stride = stride;
        op.before = before;
        op.after = makeDims({1, 0});
        int64_t const maps = 2;
        Dims const dims = makeDims({2, groups * op.phases() * maps, 4, 5});
        for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
                Values const x = inFormat(format, randomTensor(type, dims));
                auto const expected = [&](std::vector<int64_t> const& index) {
                    int64_t const y = index[2] + op.before.d[0];
                    int64_t const column = index[3] + op.before.d[1];
                    int64_t const phase =
                        y % op.stride.d[0] * op.stride.d[1] + column % op.stride.d[1];
                    int64_t const map =
                        (index[1] / maps * op.phases() + phase) * maps + index[1] % maps;
                    return x.at({index[0], map, y / op.stride.d[0], column / op.stride.d[1]});
                };
                expectAll(op, {x}, expected, {});
            }
        }
    }
}

} // namespace
} // namespace kiln::test
