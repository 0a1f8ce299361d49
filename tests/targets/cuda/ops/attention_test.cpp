// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using graph::Attention;
using Layout = Attention::Layout;

constexpr DataType kTypes[] = {DataType::kHALF, DataType::kBF16, DataType::kFLOAT};

struct Sizes {
    int64_t batch = 2;
    int64_t queries = 5;
    int64_t keys = 7;
};

Dims dimsOf(Attention const& op, std::size_t operand, int64_t batch, int64_t length) {
    Attention::Axes const axes = Attention::axesOf(op.layouts[operand]);
    int64_t const heads = op.headsOf(operand);
    int64_t const size = op.sizeOf(operand);
    Dims dims{axes.rank(), {}};
    dims.d[axes.batch] = batch;
    dims.d[axes.length] = length;
    dims.d[axes.channel] = axes.head < 0 ? heads * size : size;
    if (axes.head >= 0) {
        dims.d[axes.head] = heads;
    }
    return dims;
}

Attention sample(Layout layout, int64_t size, int64_t heads = 2) {
    Attention op;
    op.layouts = {layout, layout, layout, layout};
    op.heads = op.keyHeads = heads;
    op.size = op.valueSize = size;
    op.scale = 1.0F / std::sqrt(static_cast<float>(size));
    return op;
}

/// Weights and the result are rounded once each, and products of float are sums of three; values
/// are of magnitude 2.
Tolerance toleranceOf(DataType type) {
    double const rounding = (type == DataType::kFLOAT ? 8.0 : 1.0) * roundingOf(type);
    return {8.0 * rounding, 4.0 * rounding};
}

void check(Attention const& op, Sizes const& sizes, std::vector<Values> const& masks = {},
           int64_t offset = 0) {
    for (DataType const type : kTypes) {
        if (type == DataType::kFLOAT && std::max(op.size, op.valueSize) > 128) {
            continue;
        }
        std::vector<Values> inputs{
            randomTensor(type, dimsOf(op, Attention::kQuery, sizes.batch, sizes.queries)),
            randomTensor(type, dimsOf(op, Attention::kKey, sizes.batch, sizes.keys)),
            randomTensor(type, dimsOf(op, Attention::kValue, sizes.batch, sizes.keys))};
        for (Values mask : masks) {
            mask.type = mask.type == DataType::kBOOL ? mask.type : type;
            for (double& value : mask.data) {
                value = rounded(mask.type, value);
            }
            inputs.push_back(mask);
        }
        EXPECT_FALSE(expectLikeCpu(op, inputs, toleranceOf(type), offset).empty());
    }
}

TEST(CudaAttention, EachLayout) {
    KILN_NEEDS_GPU();
    for (int32_t i = 0; i < Attention::kLayoutCount; ++i) {
        check(sample(static_cast<Layout>(i), 16), {});
    }
    Attention mixed = sample(Layout::kJoined, 32, 3);
    mixed.layouts = {Layout::kLengthFirst, Layout::kChannelsFirst, Layout::kHeadsFirst,
                     Layout::kJoined};
    check(mixed, {2, 33, 70});
}

TEST(CudaAttention, HeadsOfManySizes) {
    KILN_NEEDS_GPU();
    for (int64_t const size : {1, 7, 20, 32, 64, 72, 96, 128, 136, 256}) {
        check(sample(Layout::kJoined, size), {1, 18, 40});
    }
    Attention op = sample(Layout::kLengthFirst, 24);
    op.valueSize = 40;
    check(op, {});
    op.valueSize = 250;
    check(op, {2, 18, 40});
    op = sample(Layout::kHeadsFirst, 192);
    op.causal = Attention::Causal::kFromEnd;
    check(op, {2, 70, 90});
}

TEST(CudaAttention, TilesOfKeysAndQueries) {
    KILN_NEEDS_GPU();
    Attention const op = sample(Layout::kJoined, 32, 1);
    for (Sizes const& sizes : {Sizes{1, 1, 1}, Sizes{1, 1, 200}, Sizes{1, 16, 64}, Sizes{1, 17, 65},
                               Sizes{1, 70, 129}, Sizes{1, 130, 1}}) {
        check(op, sizes);
    }
    check(sample(Layout::kJoined, 16, 16), {8, 20, 20}); // enough for blocks of several warps
}

TEST(CudaAttention, BlocksOfWarpgroups) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kJoined, 16, 1);
    op.valueSize = 24;
    check(op, {1, 150, 300});
    check(op, {5, 130, 140}); // on GPUs with few multiprocessors, several items for each
    op.causal = Attention::Causal::kFromEnd;
    check(op, {1, 150, 300});
    Values const x = randomTensor(DataType::kHALF, makeDims({1, 130, 64}));
    std::vector<std::string> const kernels =
        expectLikeCpu(sample(Layout::kJoined, 64, 1), {x, x, x},
                      {8.0 * roundingOf(x.type), 4.0 * roundingOf(x.type)});
    bool const fits = targets::cuda::Gpu::current().architecture.text() == "sm_90";
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "attention_warpgroups"), fits ? 1 : 0);
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "attention_short"), fits ? 1 : 0);
}

TEST(CudaAttention, FewQueriesOfManyKeys) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kHeadsFirst, 40, 8);
    op.valueSize = 72;
    op.keyHeads = 2;
    check(op, {2, 1, 300}); // one row for each of 4 heads
    check(op, {1, 5, 130}); // 20 rows: two tiles
    check(op, {1, 2, 200}, {}, 1);
    check(op, {1, 1, 520}); // two parts for each of the two heads of keys
    check(op, {1, 2, 140}, {randomTensor(DataType::kFLOAT, makeDims({1, 8, 2, 140}), -3.0, 3.0)});
    check(op, {1, 2, 140}, {randomTensor(DataType::kBOOL, makeDims({1, 8, 2, 140}), 0.0, 2.0)});
    for (auto const causal : {Attention::Causal::kFromStart, Attention::Causal::kFromEnd}) {
        op.causal = causal;
        check(op, {1, 3, 260});
    }
    op.causal = Attention::Causal::kNone;
    Values const query = randomTensor(DataType::kHALF, makeDims({1, 8, 1, 40}));
    Values const keys = randomTensor(DataType::kHALF, makeDims({1, 2, 200, 40}));
    Values const values = randomTensor(DataType::kHALF, makeDims({1, 2, 200, 72}));
    std::vector<std::string> const kernels = expectLikeCpu(
        op, {query, keys, values}, {8.0 * roundingOf(keys.type), 4.0 * roundingOf(keys.type)});
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "attention_split"), 1);
}

TEST(CudaAttention, SharedKeysAndSlices) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kLengthFirst, 16, 6);
    op.keyHeads = 2;
    check(op, {});
    op = sample(Layout::kJoined, 16);
    op.offsets = {0, 32, 64};
    for (DataType const type : kTypes) {
        Values const all = randomTensor(type, makeDims({2, 40, 96}));
        expectLikeCpu(op, {all, all, all}, toleranceOf(type));
    }
}

TEST(CudaAttention, Masks) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kHeadsFirst, 16);
    Sizes const sizes{2, 19, 70};
    for (Dims const& dims : {makeDims({2, 2, 19, 70}), makeDims({2, 1, 1, 70}),
                             makeDims({1, 2, 19, 1}), makeDims({1, 1, 19, 70})}) {
        check(op, sizes, {randomTensor(DataType::kFLOAT, dims, -3.0, 3.0)});
        Values kept = randomTensor(DataType::kBOOL, dims, 0.0, 2.0);
        for (bool const drops : {false, true}) {
            op.maskDrops = drops;
            check(op, sizes, {kept});
        }
    }
}

TEST(CudaAttention, MasksOfWholeTiles) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kHeadsFirst, 16);
    for (int64_t const keys : {272, 263}) { // rows of masks at multiples of 16 bytes, and not
        Dims const dims = makeDims({1, 2, 70, keys});
        check(op, {1, 70, keys}, {randomTensor(DataType::kFLOAT, dims, -3.0, 3.0)});
        check(op, {1, 70, keys}, {randomTensor(DataType::kBOOL, dims, 0.0, 2.0)});
    }
    op.causal = Attention::Causal::kFromEnd;
    check(op, {1, 70, 272}, {randomTensor(DataType::kFLOAT, makeDims({1, 1, 70, 272}))});
    op.causal = Attention::Causal::kNone;
    op.size = op.valueSize = 200; // fewer keys in a tile
    check(op, {1, 70, 144}, {randomTensor(DataType::kFLOAT, makeDims({1, 1, 70, 144}))});
}

TEST(CudaAttention, HiddenKeys) {
    KILN_NEEDS_GPU();
    Attention op = sample(Layout::kHeadsFirst, 16, 1);
    for (auto const causal : {Attention::Causal::kFromStart, Attention::Causal::kFromEnd}) {
        op.causal = causal;
        check(op, {1, 70, 70});
        check(op, {1, 3, 130});
        check(op, {1, 70, 20}); // from the end: the first queries see no key
        op.emptyIsZero = true;
        check(op, {1, 70, 20});
        op.emptyIsZero = false;
    }
    Values mask = randomTensor(DataType::kFLOAT, makeDims({1, 1, 3, 70}));
    for (double& value : mask.data) {
        value = -std::numeric_limits<double>::infinity();
    }
    op.causal = Attention::Causal::kNone;
    check(op, {1, 3, 70}, {mask});
    mask.data[75] = 0.0; // one key of query 1
    check(op, {1, 3, 70}, {mask});
}

TEST(CudaAttention, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(sample(Layout::kJoined, 32), {1, 20, 70}, {}, 1);
    check(sample(Layout::kJoined, 32), {1, 20, 70}, {}, 2);
}

TEST(CudaAttention, RefusesLongHeads) {
    KILN_NEEDS_GPU();
    Values const half = randomTensor(DataType::kHALF, makeDims({1, 4, 528}));
    EXPECT_TRUE(runAllOnGpu(sample(Layout::kJoined, 264), {half, half, half}).empty());
    Values const single = randomTensor(DataType::kFLOAT, makeDims({1, 4, 272}));
    EXPECT_TRUE(runAllOnGpu(sample(Layout::kJoined, 136), {single, single, single}).empty());
}

} // namespace
} // namespace kiln::test
