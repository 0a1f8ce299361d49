// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention.h"

#include <cmath>
#include <limits>

#include "base/without_code.h"
#include "target/backend_registry.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Attention;
using Layout = Attention::Layout;

/// The shape of an attention.
struct Sizes {
    int64_t batch = 2;
    int64_t queries = 5;
    int64_t keys = 7;
};

Dims dimsOf(Attention const& op, std::size_t operand, int64_t batch, int64_t length,
            int64_t spare = 0) {
    Attention::Axes const axes = Attention::axesOf(op.layouts[operand]);
    Dims dims{axes.rank(), {}};
    dims.d[axes.batch] = batch;
    dims.d[axes.length] = length;
    dims.d[axes.channel] = op.sizeOf(operand);
    if (axes.head < 0) {
        dims.d[axes.channel] = op.headsOf(operand) * op.sizeOf(operand) + spare;
    } else {
        dims.d[axes.head] = op.headsOf(operand);
    }
    return dims;
}

/// Element [b, h, i, c] of an operand, by the definition of the layouts.
double element(Attention const& op, std::size_t operand, Values const& tensor, int64_t b, int64_t h,
               int64_t i, int64_t c) {
    int64_t const at = tensor.dims.d[0] == 1 ? 0 : b;
    switch (op.layouts[operand]) {
    case Layout::kHeadsFirst: return tensor.at({at, h, i, c});
    case Layout::kLengthFirst: return tensor.at({at, i, h, c});
    case Layout::kChannelsFirst: return tensor.at({at, h, c, i});
    default: return tensor.at({at, i, op.offsets[operand] + h * op.sizeOf(operand) + c});
    }
}

double maskAt(Values const& mask, std::array<int64_t, 4> const& index) {
    int64_t offset = 0;
    int32_t const first = 4 - mask.dims.nbDims;
    for (int32_t i = 0; i < mask.dims.nbDims; ++i) {
        int64_t const at = index[static_cast<std::size_t>(i == 0 ? 0 : i + first)];
        offset = offset * mask.dims.d[i] + (mask.dims.d[i] == 1 ? 0 : at);
    }
    return mask.data[static_cast<std::size_t>(offset)];
}

bool isSeen(Attention const& op, Sizes const& sizes, int64_t i, int64_t j) {
    int64_t const diagonal =
        op.causal == Attention::Causal::kFromEnd ? sizes.keys - sizes.queries : 0;
    return op.causal == Attention::Causal::kNone || j <= i + diagonal;
}

/// Compares all kernels with the definition, in float64.
void check(Attention const& op, Sizes const& sizes, std::vector<Values> const& inputs) {
    bool const hasMask = inputs.size() > 3;
    auto const score = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
        double sum = 0.0;
        for (int64_t c = 0; c < op.size; ++c) {
            sum += element(op, 0, inputs[0], b, h, i, c) *
                   element(op, 1, inputs[1], b, h * op.keyHeads / op.heads, j, c);
        }
        sum *= static_cast<double>(op.scale);
        bool seen = isSeen(op, sizes, i, j);
        if (hasMask && inputs[3].type == DataType::kBOOL) {
            seen = seen && (maskAt(inputs[3], {b, h, i, j}) != 0.0) != op.maskDrops;
        } else if (hasMask) {
            sum += maskAt(inputs[3], {b, h, i, j});
        }
        return seen ? sum : -std::numeric_limits<double>::infinity();
    };
    std::vector<double> powers; // [batch, heads, queries, keys]
    for (int64_t row = 0; row < sizes.batch * op.heads * sizes.queries; ++row) {
        int64_t const head = row / sizes.queries;
        for (int64_t j = 0; j < sizes.keys; ++j) {
            powers.push_back(
                std::exp(score(head / op.heads, head % op.heads, row % sizes.queries, j)));
        }
    }
    auto const expected = [&](std::vector<int64_t> const& index) {
        Attention::Axes const axes = Attention::axesOf(op.layouts[Attention::kOutput]);
        auto const at = [&](int32_t axis) { return index[static_cast<std::size_t>(axis)]; };
        int64_t const channel = at(axes.channel);
        int64_t const h = axes.head < 0 ? channel / op.valueSize : at(axes.head);
        int64_t const row = (at(axes.batch) * op.heads + h) * sizes.queries + at(axes.length);
        double total = 0.0;
        double sum = 0.0;
        for (int64_t j = 0; j < sizes.keys; ++j) {
            double const power = powers[static_cast<std::size_t>(row * sizes.keys + j)];
            total += power;
            sum += power == 0.0
                       ? 0.0
                       : power * element(op, 2, inputs[2], at(axes.batch),
                                         h * op.keyHeads / op.heads, j, channel % op.valueSize);
        }
        return total == 0.0 && op.emptyIsZero ? 0.0 : sum / total;
    };
    // 16-bit kernels may round the weights of the values.
    double const rounding = roundingOf(inputs[0].type);
    expectAll(op, inputs, expected, {8.0 * rounding + 2e-6, 4.0 * rounding + 2e-6});
}

std::vector<Values> operands(Attention const& op, Sizes const& sizes, DataType type,
                             int64_t keyBatch) {
    return {randomTensor(type, dimsOf(op, 0, sizes.batch, sizes.queries)),
            randomTensor(type, dimsOf(op, 1, keyBatch, sizes.keys)),
            randomTensor(type, dimsOf(op, 2, keyBatch, sizes.keys))};
}

Attention sample(Layout layout) {
    Attention op;
    op.layouts = {layout, layout, layout, layout};
    op.heads = 4;
    op.keyHeads = 4;
    op.size = 8;
    op.valueSize = 8;
    op.scale = 0.35F;
    return op;
}

TEST(AttentionKernels, EachLayout) {
    for (int32_t i = 0; i < Attention::kLayoutCount; ++i) {
        Attention const op = sample(static_cast<Layout>(i));
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
            check(op, {}, operands(op, {}, type, 2));
        }
    }
}

TEST(AttentionKernels, MixedLayoutsGroupsAndOddSizes) {
    Attention op = sample(Layout::kJoined);
    op.layouts = {Layout::kJoined, Layout::kChannelsFirst, Layout::kHeadsFirst,
                  Layout::kLengthFirst};
    op.keyHeads = 2;
    op.size = 5;
    op.valueSize = 11;
    check(op, {2, 3, 70}, operands(op, {2, 3, 70}, DataType::kFLOAT, 2));
    check(op, {3, 70, 1}, operands(op, {3, 70, 1}, DataType::kFLOAT, 1));
    check(op, {1, 1, 130}, operands(op, {1, 1, 130}, DataType::kBF16, 1));
}

TEST(AttentionKernels, HeadsOfUsualSizes) {
    for (int64_t const size : {32, 64, 80, 128}) {
        Attention op = sample(Layout::kJoined);
        op.size = op.valueSize = size;
        op.scale = 1.0F / std::sqrt(static_cast<float>(size));
        for (DataType const type : {DataType::kFLOAT, DataType::kBF16}) {
            check(op, {1, 33, 129}, operands(op, {1, 33, 129}, type, 1));
        }
    }
}

TEST(AttentionKernels, FewQueriesOfEachLayout) {
    for (int32_t i = 0; i < Attention::kLayoutCount; ++i) {
        Attention op = sample(static_cast<Layout>(i));
        op.size = 20;
        op.causal = i % 2 == 0 ? Attention::Causal::kFromEnd : Attention::Causal::kNone;
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
            check(op, {2, 3, 133}, operands(op, {2, 3, 133}, type, 2));
        }
    }
}

TEST(AttentionKernels, ManyQueriesOfHeadsSideBySide) {
    Attention op = sample(Layout::kJoined);
    op.keyHeads = 2;
    op.size = 12;
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        check(op, {2, 150, 140}, operands(op, {2, 150, 140}, type, 1));
        check(op, {2, 140, 150}, operands(op, {2, 140, 150}, type, 2));
    }
    op.causal = Attention::Causal::kFromEnd;
    op.layouts = {Layout::kHeadsFirst, Layout::kLengthFirst, Layout::kHeadsFirst, Layout::kJoined};
    check(op, {1, 200, 200}, operands(op, {1, 200, 200}, DataType::kFLOAT, 1));
}

TEST(AttentionKernels, LargeHeads) {
    Attention op = sample(Layout::kHeadsFirst);
    op.size = 256;
    op.valueSize = 200;
    op.scale = 0.0625F;
    for (Sizes const sizes : {Sizes{1, 70, 150}, Sizes{1, 2, 150}}) {
        check(op, sizes, operands(op, sizes, DataType::kFLOAT, 1));
        check(op, sizes, operands(op, sizes, DataType::kHALF, 1));
    }
}

TEST(AttentionKernels, TilesRefuseLargerHeads) {
    Attention op = sample(Layout::kHeadsFirst);
    op.size = 257;
    auto const inputs = operands(op, {}, DataType::kFLOAT, 2);
    for (auto const& candidate : candidatesFor(op, inputs)) {
        if (candidate.kernel == "attention_tiles") {
            EXPECT_EQ(candidate.refusal, "expected heads of at most 256 channels, got 257");
        }
    }
    auto const output = inferredOutput(op, inputs);
    std::vector<target::ConstantOperand> const constants(inputs.size());
    auto const kernel = target::BackendRegistry::instance().open("cpu").load(
        recordOf(op, "attention_tiles", inputs, {&output, 1}), constants);
    Dims const dims[] = {inputs[0].dims, inputs[1].dims, inputs[2].dims};
    try {
        kernel->instantiate()->reshape(dims, {&output.dims, 1});
        FAIL() << "a plan must not make the kernel write outside of its buffers";
    } catch (Error const& error) {
        EXPECT_EQ(withoutCode(error.what()),
                  "[plan] kernel 'attention_tiles': expected heads of at most 256 channels, got "
                  "257 and 8. Build the plan again.");
    }
}

TEST(AttentionKernels, SlicesOfOneTensor) {
    Attention op = sample(Layout::kJoined);
    op.offsets = {0, 32, 64};
    Values const all = randomTensor(DataType::kFLOAT, makeDims({2, 7, 96}));
    check(op, {2, 7, 7}, {all, all, all});
}

TEST(AttentionKernels, Masks) {
    Sizes const sizes{2, 5, 7};
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBOOL}) {
        for (Dims const& dims :
             {makeDims({2, 4, 5, 7}), makeDims({2, 1, 1, 7}), makeDims({1, 4, 5, 7}),
              makeDims({1, 1, 5, 1}), makeDims({1, 1, 1, 1})}) {
            Attention op = sample(Layout::kHeadsFirst);
            bool const selects = type == DataType::kBOOL;
            auto inputs = operands(op, sizes, selects ? DataType::kFLOAT : type, 2);
            inputs.push_back(selects ? randomTensor(type, dims, 0.0, 2.0)
                                     : randomTensor(type, dims, -4.0, 4.0));
            if (selects && dims.d[3] == 7) { // each query has keys, whatever the rest is
                for (std::size_t i = 0; i < inputs[3].data.size(); i += 7) {
                    inputs[3].data[i] = 1.0;
                    inputs[3].data[i + 1] = 0.0;
                }
            }
            check(op, sizes, inputs);
            op.maskDrops = true;
            check(op, sizes, inputs);
        }
    }
}

TEST(AttentionKernels, MaskWithoutHeads) {
    Attention op = sample(Layout::kJoined);
    op.heads = op.keyHeads = 1;
    auto inputs = operands(op, {6, 5, 7}, DataType::kFLOAT, 6);
    inputs.push_back(randomTensor(DataType::kFLOAT, makeDims({6, 1, 7})));
    check(op, {6, 5, 7}, inputs);
}

TEST(AttentionKernels, InfiniteMask) {
    Sizes const sizes{1, 3, 200};
    Attention const op = sample(Layout::kHeadsFirst);
    auto inputs = operands(op, sizes, DataType::kFLOAT, 1);
    Values mask = randomTensor(DataType::kFLOAT, makeDims({1, 1, 3, 200}));
    for (std::size_t i = 0; i < 600; ++i) { // the first keys, the last keys, all but one
        std::size_t const key = i % 200;
        bool const drops = i < 200 ? key < 150 : i < 400 ? key >= 20 : key != 77;
        mask.data[i] = drops ? -std::numeric_limits<double>::infinity() : mask.data[i];
    }
    inputs.push_back(mask);
    check(op, sizes, inputs);
}

TEST(AttentionKernels, QueriesWithoutKeys) {
    for (bool const isZero : {false, true}) {
        Attention op = sample(Layout::kHeadsFirst);
        op.emptyIsZero = isZero;
        auto inputs = operands(op, {}, DataType::kFLOAT, 2);
        inputs.push_back(tensorOf(DataType::kBOOL, makeDims({2, 1, 1, 1}), {0.0, 1.0}));
        check(op, {}, inputs);
        inputs[3] = tensorOf(DataType::kFLOAT, makeDims({2, 1, 1, 1}),
                             {-std::numeric_limits<double>::infinity(), 1.0});
        check(op, {}, inputs);
        inputs.pop_back();
        op.causal = Attention::Causal::kFromEnd; // more queries than keys: the first see none
        inputs[0] = randomTensor(DataType::kFLOAT, dimsOf(op, 0, 2, 9));
        check(op, {2, 9, 7}, inputs);
    }
}

TEST(AttentionKernels, NoKeysGiveZero) {
    Attention const op = sample(Layout::kHeadsFirst);
    auto const inputs = operands(op, {2, 5, 0}, DataType::kFLOAT, 2);
    expectAll(op, inputs, [](std::vector<int64_t> const&) { return 0.0; }, {});
}

TEST(AttentionKernels, Causal) {
    for (auto const rule : {Attention::Causal::kFromStart, Attention::Causal::kFromEnd}) {
        for (Sizes const sizes : {Sizes{2, 6, 6}, Sizes{1, 3, 9}, Sizes{1, 70, 140}}) {
            Attention op = sample(Layout::kJoined);
            op.causal = rule;
            check(op, sizes, operands(op, sizes, DataType::kFLOAT, sizes.batch));
        }
    }
}

} // namespace
} // namespace kiln::test
