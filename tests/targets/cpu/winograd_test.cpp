// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of 3 x 3 by transformed tiles, alone and in regions.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "base/parallel.h"
#include "graph/ops/activation.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/region.h"
#include "target/backend_registry.h"
#include "target/constant_copies.h"
#include "targets/cpu/kernel_fixture.h"
#include "targets/cpu/winograd/convolution.h"

namespace kiln::test {
namespace {

using graph::Convolution;
using graph::Region;
using testing::HasSubstr;
using Index = std::vector<int64_t>;

Convolution convolutionOf(int64_t maps, int64_t before = 1, int64_t after = 1) {
    Convolution op;
    op.maps = maps;
    op.window.size = makeDims({3, 3});
    op.window.stride = makeDims({1, 1});
    op.window.dilation = makeDims({1, 1});
    op.window.prePadding = makeDims({before, before});
    op.window.postPadding = makeDims({after, after});
    return op;
}

Values weightsOf(Dims const& dims) {
    return asConstant(randomTensor(DataType::kFLOAT, dims));
}

std::vector<std::string> refusalsOf(graph::Op const& op, std::vector<Values> const& inputs) {
    std::vector<std::string> refusals;
    for (target::Candidate const& candidate : candidatesFor(op, inputs)) {
        if (candidate.kernel.find("_winograd_") != std::string::npos) {
            refusals.push_back(candidate.refusal);
        }
    }
    return refusals;
}

/// The definition, with `before` zeros in front of rows and columns.
double convolved(Values const& x, Values const& w, int64_t before, Index const& at) {
    double sum = 0.0;
    for (int64_t c = 0; c < x.dims.d[1]; ++c) {
        for (int64_t i = 0; i < 9; ++i) {
            int64_t const row = at[2] + i / 3 - before;
            int64_t const column = at[3] + i % 3 - before;
            if (row >= 0 && row < x.dims.d[2] && column >= 0 && column < x.dims.d[3]) {
                sum += x.at({at[0], c, row, column}) * w.at({at[1], c, i / 3, i % 3});
            }
        }
    }
    return sum;
}

/// Sums of 9 products of numbers up to 2 for each channel. Their errors grow with the largest sums.
Tolerance toleranceFor(int64_t channels) {
    return {4e-5 * std::sqrt(static_cast<double>(channels)), 1e-6};
}

class Winograd : public testing::TestWithParam<int32_t> {
protected:
    Winograd() { setThreadCount(GetParam()); }
    ~Winograd() override { setThreadCount(0); }
};

INSTANTIATE_TEST_SUITE_P(Threads, Winograd, testing::Values(1, 2, 5));

TEST_P(Winograd, SizesOfImages) {
    for (auto const& [height, width] :
         {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {4, 4}, {5, 9}, {7, 7}, {13, 40}, {3, 230}}) {
        for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            Convolution const op = convolutionOf(17);
            Values const x =
                inFormat(format, randomTensor(DataType::kFLOAT, makeDims({2, 3, height, width})));
            Values const w = weightsOf(makeDims({17, 3, 3, 3}));
            ASSERT_THAT(refusalsOf(op, {x, w}), testing::ElementsAre("", ""));
            expectAll(
                op, {x, w}, [&](Index const& at) { return convolved(x, w, 1, at); },
                toleranceFor(3));
        }
    }
}

TEST_P(Winograd, ChannelsAndMaps) {
    for (int64_t const channels : {1, 15, 16, 17, 50}) {
        for (int64_t const maps : {15, 16, 31, 33, 70}) {
            Convolution const op = convolutionOf(maps);
            Values const x = randomTensor(DataType::kFLOAT, makeDims({1, channels, 6, 11}));
            Values const w = weightsOf(makeDims({maps, channels, 3, 3}));
            Values const bias = weightsOf(makeDims({maps}));
            for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
                expectAll(
                    op, {inFormat(format, x), w, bias},
                    [&](Index const& at) { return convolved(x, w, 1, at) + bias.at({at[1]}); },
                    toleranceFor(channels));
            }
        }
    }
}

TEST_P(Winograd, Paddings) {
    for (auto const& [before, after] :
         {std::pair<int64_t, int64_t>{0, 0}, {0, 2}, {3, 0}, {70, 5}}) {
        Convolution const op = convolutionOf(16, before, after);
        Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 6, 5}));
        Values const w = weightsOf(makeDims({16, 3, 3, 3}));
        expectAll(
            op, {x, w}, [&](Index const& at) { return convolved(x, w, before, at); },
            toleranceFor(3));
    }
}

TEST(WinogradKernel, BothMemoryOrders) {
    Convolution const op = convolutionOf(20);
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 18, 9, 10}));
    Values const w = weightsOf(makeDims({20, 18, 3, 3}));
    for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
        bool const last = format == TensorFormat::kLINEAR;
        std::vector<KernelRun> const runs =
            runAll(op, {inFormat(format, x), w}, last ? TensorFormat::kHWC : TensorFormat::kLINEAR);
        EXPECT_EQ(std::ranges::count_if(runs,
                                        [](KernelRun const& run) {
                                            return run.kernel.find("winograd") != std::string::npos;
                                        }),
                  2);
        expectAll(
            op, {inFormat(format, x), w}, [&](Index const& at) { return convolved(x, w, 1, at); },
            toleranceFor(18), last ? TensorFormat::kHWC : TensorFormat::kLINEAR);
    }
}

std::unique_ptr<graph::Activation> activation(nvinfer1::ActivationType type, float alpha = 0.0F,
                                              float beta = 0.0F) {
    auto op = std::make_unique<graph::Activation>();
    op->type = type;
    op->alpha = alpha;
    op->beta = beta;
    return op;
}

TEST(WinogradKernel, LimitsOfResults) {
    using Type = nvinfer1::ActivationType;
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 6, 8, 9}));
    Values const w = weightsOf(makeDims({18, 6, 3, 3}));
    Values const bias = weightsOf(makeDims({18}));
    for (Type const type : {Type::kRELU, Type::kCLIP, Type::kTANH}) {
        Region region(3);
        int32_t const sums = region.add(convolutionOf(18).clone(), {0, 1, 2});
        region.setResults({region.add(activation(type, -1.0F, 1.5F), {sums})});
        ASSERT_THAT(refusalsOf(region, {x, w, bias}), testing::ElementsAre("", ""));
        expectAll(
            region, {x, w, bias},
            [&](Index const& at) {
                double const sum = convolved(x, w, 1, at) + bias.at({at[1]});
                return type == Type::kRELU   ? std::max(sum, 0.0)
                       : type == Type::kCLIP ? std::clamp(sum, -1.0, 1.5)
                                             : std::tanh(sum);
            },
            toleranceFor(6));
    }
}

TEST(WinogradKernel, OperationsBehind) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 6, 8, 9}));
    Values const w = weightsOf(makeDims({18, 6, 3, 3}));
    Values const other = randomTensor(DataType::kFLOAT, makeDims({2, 18, 8, 9}));
    auto sum = std::make_unique<graph::ElementWise>();
    sum->operation = nvinfer1::ElementWiseOperation::kSUM;
    Region region(3);
    int32_t const sums = region.add(convolutionOf(18).clone(), {0, 1});
    int32_t const both = region.add(std::move(sum), {sums, 2});
    region.setResults({region.add(activation(nvinfer1::ActivationType::kRELU), {both})});
    for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
        std::vector<Values> const inputs{inFormat(format, x), w, inFormat(format, other)};
        ASSERT_THAT(refusalsOf(region, inputs), testing::ElementsAre("", ""));
        expectAll(
            region, inputs,
            [&](Index const& at) {
                return std::max(0.0,
                                convolved(x, w, 1, at) + other.at({at[0], at[1], at[2], at[3]}));
            },
            toleranceFor(6));
    }
}

TEST(WinogradKernel, NanStays) {
    Convolution const op = convolutionOf(15);
    Values x = randomTensor(DataType::kFLOAT, makeDims({1, 2, 12, 12}));
    x.data[0] = std::nan("");
    Region region(2);
    int32_t const sums = region.add(op.clone(), {0, 1});
    region.setResults({region.add(activation(nvinfer1::ActivationType::kRELU), {sums})});
    Values const w = weightsOf(makeDims({15, 2, 3, 3}));
    for (KernelRun const& run : runAll(region, {x, w})) {
        if (run.kernel.find("winograd") != std::string::npos) {
            EXPECT_TRUE(std::isnan(run.output.data[0])) << run.kernel;
            EXPECT_FALSE(std::isnan(run.output.data[143])) << run.kernel;
        }
    }
}

TEST(WinogradKernel, ErrorOfManyChannels) {
    // The errors that winograd/kernel.cpp states, with room for other numbers.
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 64, 16, 16}), -1.0, 1.0);
    Values const w =
        asConstant(randomTensor(DataType::kFLOAT, makeDims({16, 64, 3, 3}), -1.0, 1.0));
    for (KernelRun const& run : runAll(convolutionOf(16), {x, w})) {
        double error = 0.0;
        double largest = 0.0;
        for (int64_t i = 0; i < static_cast<int64_t>(run.output.data.size()); ++i) {
            double const expected = convolved(x, w, 1, {0, i / 256, i / 16 % 16, i % 16});
            error =
                std::max(error, std::abs(run.output.data[static_cast<std::size_t>(i)] - expected));
            largest = std::max(largest, std::abs(expected));
        }
        EXPECT_LT(error / largest, run.kernel == "convolution_winograd_4" ? 2e-6 : 6e-7)
            << run.kernel;
    }
}

TEST(WinogradKernel, Refusals) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 4, 6, 6}));
    Values const w = weightsOf(makeDims({4, 4, 3, 3}));
    auto const all = [](std::string const& text) { return testing::Each(HasSubstr(text)); };
    Convolution op = convolutionOf(4);
    EXPECT_THAT(refusalsOf(op, {x, randomTensor(DataType::kFLOAT, makeDims({4, 4, 3, 3}))}),
                all("constant weights"));
    EXPECT_THAT(refusalsOf(op, {randomTensor(DataType::kHALF, makeDims({1, 4, 6, 6})),
                                asConstant(randomTensor(DataType::kHALF, makeDims({4, 4, 3, 3})))}),
                all("float32"));
    op.window.stride = makeDims({1, 2});
    EXPECT_THAT(refusalsOf(op, {x, w}), all("3 x 3"));
    op = convolutionOf(4);
    op.groups = 2;
    EXPECT_THAT(refusalsOf(op, {x, weightsOf(makeDims({4, 2, 3, 3}))}), all("one group"));
    op = convolutionOf(512);
    EXPECT_THAT(refusalsOf(op, {randomTensor(DataType::kFLOAT, makeDims({1, 512, 2, 2})),
                                weightsOf(makeDims({512, 512, 3, 3}))}),
                all("transformed weights"));
    // Groups of maps would be zeros for the most part.
    EXPECT_THAT(
        refusalsOf(convolutionOf(4), {x, w}),
        testing::ElementsAre("expected at most 1296 transformed weights for 144 of 4 maps, got "
                             "2048",
                             "expected at most 1296 transformed weights for 144 of 4 maps, got "
                             "4608"));
}

TEST(WinogradKernel, HostileRecords) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    Convolution const op = convolutionOf(16);
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({1, 2, 5, 5})),
                                     weightsOf(makeDims({16, 2, 3, 3}))};
    Values const output = inferredOutput(op, inputs);
    auto record = recordOf(op, "convolution_winograd_2", inputs, std::span(&output, 1));
    Bytes bytes(std::size_t{16} * 2 * 9 * sizeof(float));
    auto const problem = [&](int64_t slots, target::ConstantOperand const& weights) -> std::string {
        ByteWriter writer;
        writer.put(slots);
        record.code = writer.take();
        std::vector<target::ConstantOperand> const constants{{}, weights};
        try {
            auto const kernel = cpu.load(record, constants);
            auto const instance = kernel->instantiate();
            std::vector<Dims> const dims{inputs[0].dims, inputs[1].dims};
            instance->reshape(dims, std::span(&output.dims, 1));
        } catch (Error const& error) {
            return error.what();
        }
        return "none";
    };
    auto const weights = [&](std::size_t count, Dims const& dims) -> target::ConstantOperand {
        return {bytes.data(), bytes.data(), count, dims};
    };
    Dims const dims = inputs[1].dims;
    target::ConstantOperand const good = weights(bytes.size(), dims);
    EXPECT_EQ(problem(1, good), "none");
    EXPECT_THAT(problem(1, {}), HasSubstr("expected constant weights"));
    EXPECT_THAT(problem(1, weights(bytes.size() - 4, dims)),
                HasSubstr("expected float32 weights of 3 x 3, got [16,2,3,3] with 1148 bytes"));
    EXPECT_THAT(problem(1, weights(bytes.size(), makeDims({2, 16, 9}))),
                HasSubstr("expected float32 weights of 3 x 3"));
    EXPECT_THAT(problem(1, weights(bytes.size(), makeDims({32, 1, 3, 3}))),
                HasSubstr("expected 32 maps of 1 channels, got 16 of 2"));
    EXPECT_THAT(problem(1, weights(bytes.size(), makeDims({2, 16, 3, 3}))),
                HasSubstr("expected at most 2592 transformed weights for 288 of 2 maps"));
    EXPECT_THAT(problem(0, good), HasSubstr("expected 1 to 1024 slots, got 0"));
    EXPECT_THAT(problem(1 << 20, good), HasSubstr("expected 1 to 1024 slots"));
    {
        target::ConstantCopies copies(1000);
        target::ConstantCopies::Scope const scope(copies);
        EXPECT_THAT(problem(1, good), HasSubstr("expected fewer copies of weights"));
    }
    record.inputs[0].type = DataType::kHALF;
    EXPECT_THAT(problem(1, good), HasSubstr("["));
}

} // namespace
} // namespace kiln::test
