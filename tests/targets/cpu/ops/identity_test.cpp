// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/identity.h"

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

TEST(IdentityKernels, CopyEveryTypeOfWholeBytes) {
    for (DataType const type :
         {DataType::kFLOAT, DataType::kHALF, DataType::kBF16, DataType::kINT8, DataType::kUINT8,
          DataType::kBOOL, DataType::kINT32, DataType::kINT64}) {
        Values const input = randomTensor(type, makeDims({3, 1, 7}), 0.0, 100.0);
        expectAll(graph::Identity{}, {input},
                  [&](auto const& i) { return input.at({i[0], i[1], i[2]}); }, {});
    }
}

TEST(IdentityKernels, TakeEmptyTensorsAndScalars) {
    Values const empty = tensorOf(DataType::kFLOAT, makeDims({0, 3}), {});
    EXPECT_EQ(runAll(graph::Identity{}, {empty}).size(), 1U);
    Values const scalar = tensorOf(DataType::kINT64, makeDims({}), {42.0});
    expectAll(graph::Identity{}, {scalar}, [](auto const&) { return 42.0; }, {});
}

} // namespace
} // namespace kiln::test
