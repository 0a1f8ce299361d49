// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/rotary_embedding.h"

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

TEST(RotaryEmbeddingKernels, HalvesAndNeighbours) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (bool const interleaved : {false, true}) {
            graph::RotaryEmbedding op;
            op.interleaved = interleaved;
            op.rotated = 14;
            Values const x = randomTensor(type, makeDims({2, 3, 4, 17}));
            Values const cosines = randomTensor(type, makeDims({2, 4, 7}));
            Values const sines = randomTensor(type, makeDims({2, 4, 7}), -1.0, 1.0);
            auto const expected = [&](std::vector<int64_t> const& at) {
                int64_t const i = at[3];
                auto const element = [&](int64_t place) {
                    return x.at({at[0], at[1], at[2], place});
                };
                if (i >= op.rotated) {
                    return element(i);
                }
                bool const first = interleaved ? i % 2 == 0 : i < 7;
                int64_t const other = interleaved ? i ^ 1 : (i + 7) % 14;
                int64_t const pair = interleaved ? i / 2 : i % 7;
                double const sine = sines.at({at[0], at[2], pair});
                return element(i) * cosines.at({at[0], at[2], pair}) +
                       (first ? -sine : sine) * element(other);
            };
            expectAll(op, {x, cosines, sines}, expected, {2e-6, 2.0 * roundingOf(type)});
        }
    }
}

TEST(RotaryEmbeddingKernels, EmptyTablesLeaveTheData) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 1, 2, 4}));
    Values const table = tensorOf(DataType::kFLOAT, makeDims({0, 2}), {});
    Values const positions = tensorOf(DataType::kINT32, makeDims({1, 2}), {0, 5});
    expectAll(graph::RotaryEmbedding(), {x, table, table, positions},
              [&](std::vector<int64_t> const& at) { return x.at({at[0], at[1], at[2], at[3]}); },
              {});
}

} // namespace
} // namespace kiln::test
