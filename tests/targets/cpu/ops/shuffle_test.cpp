// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shuffle.h"

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Shuffle;

/// A transposed copy, by the definition: axis i of the result is axis order[i] of the source.
Values transposed(Values const& source, Shuffle::Order const& order) {
    Values result = source;
    int32_t const rank = source.dims.nbDims;
    for (int32_t i = 0; i < rank; ++i) {
        result.dims.d[i] = source.dims.d[order[std::size_t(i)]];
    }
    for (std::size_t element = 0; element < result.data.size(); ++element) {
        int64_t index[8] = {}; // along the axes of the source
        auto rest = static_cast<int64_t>(element);
        for (int32_t i = rank - 1; i >= 0; --i) {
            index[order[std::size_t(i)]] = rest % result.dims.d[i];
            rest /= result.dims.d[i];
        }
        int64_t offset = 0;
        for (int32_t i = 0; i < rank; ++i) {
            offset = offset * source.dims.d[i] + index[i];
        }
        result.data[element] = source.data[std::size_t(offset)];
    }
    return result;
}

void check(Shuffle const& op, Values const& input, Dims const& reshaped) {
    Values expected = transposed(input, op.firstTranspose);
    expected.dims = reshaped;
    expected = transposed(expected, op.secondTranspose);
    auto const runs = runAll(op, {input});
    ASSERT_FALSE(runs.empty());
    for (KernelRun const& run : runs) {
        EXPECT_EQ(toText(run.output.dims), toText(expected.dims));
        EXPECT_EQ(run.output.data, expected.data) << run.kernel;
    }
}

TEST(ShuffleKernels, LargeTransposesOfEveryWidth) {
    for (DataType const type :
         {DataType::kINT8, DataType::kHALF, DataType::kFLOAT, DataType::kINT64}) {
        Values const x = randomTensor(type, makeDims({2, 70, 3, 139}), -50.0, 50.0);
        for (Shuffle::Order const& order :
             {Shuffle::Order{0, 3, 2, 1}, Shuffle::Order{3, 1, 2, 0}, Shuffle::Order{0, 2, 1, 3},
              Shuffle::Order{2, 3, 0, 1}, Shuffle::Order{1, 3, 0, 2}}) {
            Shuffle op;
            op.firstTranspose = order;
            Dims dims = x.dims;
            for (int32_t i = 0; i < 4; ++i) {
                dims.d[i] = x.dims.d[order[std::size_t(i)]];
            }
            check(op, x, dims);
        }
    }
}

TEST(ShuffleKernels, EveryWidth) {
    for (DataType const type :
         {DataType::kINT8, DataType::kHALF, DataType::kBF16, DataType::kFLOAT, DataType::kINT64}) {
        Values const x = randomTensor(type, makeDims({2, 3, 5, 7}), -50.0, 50.0);
        Shuffle op;
        check(op, x, x.dims);
        op.firstTranspose = {0, 2, 3, 1};
        check(op, x, makeDims({2, 5, 7, 3}));
        op.reshape = makeDims({0, 35, -1});
        check(op, x, makeDims({2, 35, 3}));
        op.secondTranspose = {2, 0, 1};
        check(op, x, makeDims({2, 35, 3}));
        op.firstTranspose = Shuffle::kIdentity;
        op.reshape = makeDims({6, 35});
        op.secondTranspose = {1, 0};
        check(op, x, makeDims({6, 35}));
    }
}

TEST(ShuffleKernels, EveryPermutationOfFourAxes) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 4, 5}));
    Shuffle op;
    op.firstTranspose = Shuffle::kIdentity;
    do {
        check(op, x, transposed(x, op.firstTranspose).dims);
    } while (std::next_permutation(op.firstTranspose.begin(), op.firstTranspose.begin() + 4));
}

TEST(ShuffleKernels, AxesOfOneMoveNothing) {
    Shuffle op;
    op.firstTranspose = {2, 0, 1};
    check(op, randomTensor(DataType::kFLOAT, makeDims({3, 4, 1})), makeDims({1, 3, 4}));
}

TEST(ShuffleKernels, ScalarsAndEmptyTensors) {
    Shuffle op;
    op.reshape = makeDims({});
    check(op, randomTensor(DataType::kFLOAT, makeDims({1, 1})), makeDims({}));
    op.reshape = makeDims({3, 0});
    op.zeroIsPlaceholder = false;
    check(op, tensorOf(DataType::kFLOAT, makeDims({0, 5}), {}), makeDims({3, 0}));
}

TEST(ShuffleKernels, LargeEnoughForSeveralThreads) {
    Shuffle op;
    op.firstTranspose = {1, 0};
    check(op, randomTensor(DataType::kFLOAT, makeDims({301, 517})), makeDims({517, 301}));
}

} // namespace
} // namespace kiln::test
