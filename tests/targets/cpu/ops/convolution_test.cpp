// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Convolution;
using nvinfer1::PaddingMode;

/// One convolution case; kernel and bias are operands, as a plan has them.
struct Case {
    Convolution op;
    Dims input{};
    bool hasBias = true;

    Case(Dims const& dims, int64_t maps, Dims const& size) : input(dims) {
        op.maps = maps;
        op.window.size = size;
    }
    Case& stride(int64_t y, int64_t x) {
        op.window.stride = makeDims({y, x});
        return *this;
    }
    Case& dilation(int64_t y, int64_t x) {
        op.window.dilation = makeDims({y, x});
        return *this;
    }
    Case& padding(int64_t top, int64_t left, int64_t bottom, int64_t right) {
        op.window.prePadding = makeDims({top, left});
        op.window.postPadding = makeDims({bottom, right});
        return *this;
    }
    Case& mode(PaddingMode mode) {
        op.window.paddingMode = mode;
        return *this;
    }
    Case& groups(int64_t groups) {
        op.groups = groups;
        return *this;
    }
    Case& noBias() {
        hasBias = false;
        return *this;
    }
};

double expectedAt(Case const& test, Values const& x, Values const& kernel, Values const* bias,
                  std::vector<int64_t> const& index, Dims const& output) {
    graph::Window const& window = test.op.window;
    int64_t const top = window.padding(0, x.dims.d[2], output.d[2]).before;
    int64_t const left = window.padding(1, x.dims.d[3], output.d[3]).before;
    int64_t const channels = x.dims.d[1] / test.op.groups;
    int64_t const group = index[1] / (test.op.maps / test.op.groups);
    double sum = bias == nullptr ? 0.0 : bias->at({index[1]});
    for (int64_t c = 0; c < channels; ++c) {
        for (int64_t ky = 0; ky < window.size.d[0]; ++ky) {
            for (int64_t kx = 0; kx < window.size.d[1]; ++kx) {
                int64_t const y = index[2] * window.stride.d[0] + ky * window.dilation.d[0] - top;
                int64_t const z = index[3] * window.stride.d[1] + kx * window.dilation.d[1] - left;
                if (y >= 0 && y < x.dims.d[2] && z >= 0 && z < x.dims.d[3]) {
                    sum += kernel.at({index[1], c, ky, kx}) *
                           x.at({index[0], group * channels + c, y, z});
                }
            }
        }
    }
    return sum;
}

void check(Case const& test, bool constantWeights = true) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        Values const x = randomTensor(type, test.input);
        Values kernel =
            randomTensor(type, makeDims({test.op.maps, test.input.d[1] / test.op.groups,
                                         test.op.window.size.d[0], test.op.window.size.d[1]}));
        Values bias = randomTensor(type, makeDims({test.op.maps}));
        kernel.constant = constantWeights;
        bias.constant = constantWeights;
        std::vector<Values> inputs{x, kernel};
        if (test.hasBias) {
            inputs.push_back(bias);
        }
        Dims const output = inferredOutput(test.op, inputs).dims;
        // Float sums of at most a few hundred products of magnitude 4.
        expectAll(test.op, inputs,
                  [&](auto const& index) {
                      return expectedAt(test, x, kernel, test.hasBias ? &bias : nullptr, index,
                                        output);
                  },
                  {1e-4, roundingOf(type) * 1.01 + 1e-6});
    }
}

TEST(ConvolutionKernels, PointwiseAndSquare) {
    check(Case(makeDims({2, 3, 5, 7}), 4, makeDims({1, 1})));
    check(Case(makeDims({2, 3, 8, 9}), 5, makeDims({3, 3})));
    check(Case(makeDims({1, 1, 5, 5}), 1, makeDims({5, 5})).noBias());
    check(Case(makeDims({1, 16, 20, 23}), 33, makeDims({3, 3})).padding(1, 1, 1, 1));
    check(Case(makeDims({3, 8, 1, 40}), 16, makeDims({1, 3})));
}

TEST(ConvolutionKernels, StridePaddingDilation) {
    check(Case(makeDims({1, 2, 9, 11}), 3, makeDims({3, 2})).stride(2, 3));
    check(Case(makeDims({1, 2, 6, 7}), 3, makeDims({3, 3})).padding(1, 0, 2, 1));
    check(Case(makeDims({1, 2, 9, 10}), 3, makeDims({3, 3})).dilation(2, 3));
    check(Case(makeDims({2, 4, 9, 10}), 6, makeDims({3, 3}))
              .stride(2, 2)
              .dilation(2, 1)
              .padding(2, 1, 2, 1)
              .noBias());
}

TEST(ConvolutionKernels, PaddingModes) {
    for (auto const mode :
         {PaddingMode::kSAME_UPPER, PaddingMode::kSAME_LOWER, PaddingMode::kEXPLICIT_ROUND_UP}) {
        check(Case(makeDims({1, 2, 9, 10}), 3, makeDims({4, 3})).stride(2, 3).mode(mode));
        check(Case(makeDims({1, 2, 5, 6}), 3, makeDims({2, 2})).mode(mode));
    }
}

TEST(ConvolutionKernels, Groups) {
    check(Case(makeDims({1, 6, 7, 7}), 6, makeDims({3, 3})).groups(6).padding(1, 1, 1, 1));
    check(Case(makeDims({2, 6, 5, 5}), 4, makeDims({3, 3})).groups(2).noBias());
    check(Case(makeDims({1, 3, 5, 5}), 9, makeDims({1, 1})).groups(3));
}

TEST(ConvolutionKernels, OneChannelForEachMap) {
    check(Case(makeDims({2, 3, 9, 19}), 6, makeDims({3, 3})).groups(3).padding(1, 1, 1, 1));
    check(Case(makeDims({1, 3, 12, 20}), 3, makeDims({3, 3})).groups(3).stride(2, 2).noBias());
    check(Case(makeDims({1, 2, 11, 40}), 2, makeDims({5, 4})).groups(2).padding(2, 2, 1, 2));
    check(
        Case(makeDims({1, 2, 11, 40}), 2, makeDims({3, 3})).groups(2).dilation(2, 3).stride(1, 3));
    // Several bands; and rows that no band holds.
    check(Case(makeDims({1, 2, 70, 250}), 2, makeDims({3, 3})).groups(2).padding(1, 1, 1, 1));
    check(Case(makeDims({1, 2, 5, 3000}), 2, makeDims({3, 3})).groups(2).noBias());
}

TEST(ConvolutionKernels, WeightsThatAreNoConstants) {
    check(Case(makeDims({1, 3, 8, 9}), 5, makeDims({3, 3})).padding(1, 1, 1, 1), false);
    check(Case(makeDims({1, 4, 5, 7}), 4, makeDims({1, 1})).groups(2), false);
}

TEST(ConvolutionKernels, EmptyBatch) {
    check(Case(makeDims({0, 3, 8, 9}), 5, makeDims({3, 3})));
}

TEST(ConvolutionKernels, RoundingUpReadsZerosBehindTheInput) {
    Case test(makeDims({1, 1, 4, 1}), 1, makeDims({2, 1}));
    test.stride(3, 1).mode(PaddingMode::kEXPLICIT_ROUND_UP).noBias();
    Values const x = tensorOf(DataType::kFLOAT, test.input, {1, 2, 3, 4});
    Values const kernel = tensorOf(DataType::kFLOAT, makeDims({1, 1, 2, 1}), {1, 10});
    EXPECT_EQ(runAll(test.op, {x, kernel}).back().output.data, (std::vector<double>{21, 4}));
}

TEST(ConvolutionKernels, KernelWeightsStandBeforeABiasTensor) {
    std::vector<float> const weights{2.0F, 3.0F};
    Convolution op;
    op.maps = 2;
    op.kernel = {DataType::kFLOAT, weights.data(), 2};
    ByteWriter writer;
    op.save(writer);
    Bytes const bytes = writer.take();
    ByteReader reader(bytes, "test");
    std::unique_ptr<graph::Op> const loaded = Convolution::load(reader);
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1, 1, 1, 2}), {1, 10});
    Values const bias = tensorOf(DataType::kFLOAT, makeDims({2}), {100, 200});
    Values const kernel = tensorOf(DataType::kFLOAT, makeDims({2, 1, 1, 1}), {2, 3});
    for (KernelRun const& run : runAll(*loaded, {x, kernel, bias})) {
        EXPECT_EQ(run.output.data, (std::vector<double>{102, 120, 203, 230})) << run.kernel;
    }
}

} // namespace
} // namespace kiln::test
