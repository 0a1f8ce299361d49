// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "graph/ops/reduce.h"
#include "graph/ops/region.h"
#include "graph/ops/select.h"
#include "graph/ops/shape.h"
#include "graph/ops/slice.h"
#include "targets/cpu/kernel_fixture.h"
#include "targets/region_ops.h"

namespace kiln::test {
namespace {

using graph::Region;
using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;
using testing::HasSubstr;
using Index = std::vector<int64_t>;

std::unique_ptr<graph::Op> reduce(ReduceOperation operation, uint32_t axes, bool keeps = true) {
    auto op = std::make_unique<graph::Reduce>();
    op->operation = operation;
    op->axes = axes;
    op->keepsAxes = keeps;
    return op;
}

/// The element of x that is broadcast to an index.
double at(Values const& x, Index const& index) {
    int64_t offset = 0;
    for (int32_t axis = 0; axis < x.dims.nbDims; ++axis) {
        int64_t const i = x.dims.d[axis] == 1 ? 0 : index[static_cast<std::size_t>(axis)];
        offset = offset * x.dims.d[axis] + i;
    }
    return x.data[static_cast<std::size_t>(offset)];
}

/// Why the kernel refuses; empty if it takes the region.
std::string refusal(Region const& region, std::vector<Values> const& inputs) {
    for (target::Candidate const& candidate : candidatesFor(region, inputs)) {
        if (candidate.kernel == "pointwise") {
            return candidate.refusal;
        }
    }
    return "not a candidate";
}

/// gelu(x * scale + shift) + y, where scale and shift have one element for each channel.
std::unique_ptr<Region> scaleGeluAdd() {
    auto region = std::make_unique<Region>(4);
    int32_t const product = region->add(ops::elementwise(ElementWiseOperation::kPROD), {0, 1});
    int32_t const sum = region->add(ops::elementwise(ElementWiseOperation::kSUM), {product, 2});
    int32_t const gelu = region->add(ops::activation(ActivationType::kGELU_ERF), {sum});
    region->setResults({region->add(ops::elementwise(ElementWiseOperation::kSUM), {gelu, 3})});
    return region;
}

void checkScaleGeluAdd(DataType type, Dims const& dims, TensorFormat format) {
    Dims channels = dims;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        channels.d[axis] = axis == 1 ? dims.d[1] : 1;
    }
    // The format makes no difference for the channels.
    std::vector<Values> const inputs{
        inFormat(format, randomTensor(type, dims)), randomTensor(type, channels),
        inFormat(format, randomTensor(type, channels)), inFormat(format, randomTensor(type, dims))};
    expectAll(*scaleGeluAdd(), inputs,
              [&](Index const& index) {
                  double const u =
                      at(inputs[0], index) * at(inputs[1], index) + at(inputs[2], index);
                  return 0.5 * u * std::erfc(-u * std::sqrt(0.5)) + at(inputs[3], index);
              },
              {1e-6, 2.0 * roundingOf(type)});
}

TEST(PointwiseRegion, BroadcastsChannelsInBothOrders) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            checkScaleGeluAdd(type, makeDims({2, 5, 3, 7}), format);
            checkScaleGeluAdd(type, makeDims({2, 3, 40, 50}), format);
            checkScaleGeluAdd(type, makeDims({1, 260, 5, 3}), format);
            checkScaleGeluAdd(type, makeDims({3, 1, 1, 1}), format);
            checkScaleGeluAdd(type, makeDims({0, 4, 2, 2}), format);
        }
    }
}

TEST(PointwiseRegion, SumsOfProductsWithNumbers) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({3, 301}));
    Values const a = randomTensor(DataType::kFLOAT, makeDims({3, 1}));
    Values const b = randomTensor(DataType::kFLOAT, makeDims({1, 1}));
    for (bool const swaps : {false, true}) {
        Region region(3); // a number is either operand
        int32_t const product =
            region.add(ops::elementwise(ElementWiseOperation::kPROD),
                       swaps ? std::vector<int32_t>{1, 0} : std::vector<int32_t>{0, 1});
        int32_t const sum =
            region.add(ops::elementwise(ElementWiseOperation::kSUM),
                       swaps ? std::vector<int32_t>{2, product} : std::vector<int32_t>{product, 2});
        region.setResults({sum});
        expectAll(region, {x, a, b},
                  [&](Index const& index) { return at(x, index) * at(a, index) + at(b, index); },
                  {1e-6, 0.0});
    }
    // The term is computed behind the product, of which there is a second reader.
    for (bool const twice : {false, true}) {
        Region region(3);
        int32_t const product = region.add(ops::elementwise(ElementWiseOperation::kPROD), {0, 1});
        int32_t const term = region.add(ops::unary(UnaryOperation::kNEG), {2});
        int32_t const sum =
            region.add(ops::elementwise(ElementWiseOperation::kSUM), {term, product});
        region.setResults(
            {region.add(ops::elementwise(ElementWiseOperation::kMAX), {sum, twice ? product : 0})});
        expectAll(region, {x, a, b},
                  [&](Index const& index) {
                      double const u = at(x, index) * at(a, index);
                      return std::max(u - at(b, index), twice ? u : at(x, index));
                  },
                  {1e-6, 0.0});
    }
}

TEST(PointwiseRegion, ReadsSlicesWhereTheyLie) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const n : {1, 7, 64, 3000}) {
            for (Dims const& rows : {makeDims({2, 5}), makeDims({1, 1}), makeDims({0, 3})}) {
                std::vector<Values> const inputs{
                    randomTensor(type, makeDims({rows.d[0], rows.d[1], 2 * n})),
                    randomTensor(type, makeDims({1, 1, n}))};
                expectAll(ops::gatedHalves(n), inputs,
                          [&](Index const& index) {
                              double const u = at(inputs[0], index) + at(inputs[1], index);
                              return 0.5 * u * std::erfc(-u * std::sqrt(0.5)) *
                                     inputs[0].at({index[0], index[1], index[2] + n});
                          },
                          {1e-6, 2.0 * roundingOf(type)});
            }
        }
    }
}

TEST(PointwiseRegion, ReadsSlicesAlongAnyAxis) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 5, 40}));
    expectAll(ops::repeatedSlices(), {x},
              [&](Index const& index) {
                  return x.at({index[0], index[1] + 1, index[2]}) * x.at({index[0], 4, index[2]}) +
                         x.at({index[0], index[1], 2});
              },
              {1e-6, 0.0});
}

TEST(PointwiseRegion, RefusesSlicesThatAreNoOperands) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 8}));
    Region inner(1); // of a value inside
    int32_t const less = inner.add(ops::unary(UnaryOperation::kNEG), {0});
    inner.setResults({inner.add(ops::slice(2, 0, 8), {less})});
    EXPECT_THAT(refusal(inner, {x}), HasSubstr("got Slice"));
    Region strided(1);
    auto op = std::make_unique<graph::Slice>();
    op->axes = op->stride = makeDims({2});
    op->start = makeDims({0});
    op->size = makeDims({4});
    int32_t const part = strided.add(std::move(op), {0});
    strided.setResults({strided.add(ops::unary(UnaryOperation::kNEG), {part})});
    EXPECT_THAT(refusal(strided, {x}), HasSubstr("got Slice"));
    std::vector<Values> const image{
        inFormat(TensorFormat::kHWC, randomTensor(DataType::kFLOAT, makeDims({1, 4, 3, 8})))};
    Region last(1);
    int32_t const half = last.add(ops::slice(3, 0, 4), {0});
    last.setResults({last.add(ops::unary(UnaryOperation::kNEG), {half})});
    EXPECT_THAT(refusal(last, image), HasSubstr("since some are slices"));
}

/// (x - mean) / sqrt(variance + epsilon) * scale + shift over the axes of the mask.
std::unique_ptr<Region> normalization(uint32_t axes) {
    auto region = std::make_unique<Region>(4); // x, epsilon, scale, shift
    int32_t const mean = region->add(reduce(ReduceOperation::kAVG, axes), {0});
    int32_t const centred = region->add(ops::elementwise(ElementWiseOperation::kSUB), {0, mean});
    int32_t const square =
        region->add(ops::elementwise(ElementWiseOperation::kPROD), {centred, centred});
    int32_t const variance = region->add(reduce(ReduceOperation::kAVG, axes), {square});
    int32_t const sum = region->add(ops::elementwise(ElementWiseOperation::kSUM), {variance, 1});
    int32_t const root = region->add(ops::unary(UnaryOperation::kSQRT), {sum});
    int32_t const quotient =
        region->add(ops::elementwise(ElementWiseOperation::kDIV), {centred, root});
    int32_t const product =
        region->add(ops::elementwise(ElementWiseOperation::kPROD), {quotient, 2});
    region->setResults({region->add(ops::elementwise(ElementWiseOperation::kSUM), {product, 3})});
    return region;
}

TEST(PointwiseRegion, NormalizesRowsOfAnyLength) {
    for (int64_t const length : {1, 5, 16, 64, 768, 6000, 30001}) {
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
            Values const x = randomTensor(type, makeDims({3, 2, length}), -1.0, 3.0);
            Values const epsilon = tensorOf(type, makeDims({1, 1, 1}), {1e-3});
            Values const scale = randomTensor(type, makeDims({1, 1, length}));
            Values const shift = randomTensor(type, makeDims({1, 1, length}));
            auto const moments = [&](Index const& index) {
                double mean = 0.0;
                double variance = 0.0;
                for (int64_t i = 0; i < length; ++i) {
                    mean += x.at({index[0], index[1], i}) / static_cast<double>(length);
                }
                for (int64_t i = 0; i < length; ++i) {
                    variance += std::pow(x.at({index[0], index[1], i}) - mean, 2.0) /
                                static_cast<double>(length);
                }
                return std::pair(mean, variance);
            };
            std::vector<std::pair<double, double>> rows;
            for (int64_t row = 0; row < 6; ++row) {
                rows.push_back(moments({row / 2, row % 2}));
            }
            expectAll(*normalization(1U << 2), {x, epsilon, scale, shift},
                      [&](Index const& index) {
                          auto const [mean, variance] =
                              rows[static_cast<std::size_t>(index[0] * 2 + index[1])];
                          return (at(x, index) - mean) / std::sqrt(variance + epsilon.data[0]) *
                                     at(scale, index) +
                                 at(shift, index);
                      },
                      {4e-6, 4.0 * roundingOf(type)});
        }
    }
}

TEST(PointwiseRegion, ReducesAtItsEnd) {
    for (int64_t const length : {7, 300, 40000}) {
        Values const x = randomTensor(DataType::kFLOAT, makeDims({4, length}));
        auto region = std::make_unique<Region>(1);
        int32_t const square = region->add(ops::elementwise(ElementWiseOperation::kPROD), {0, 0});
        int32_t const sum = region->add(reduce(ReduceOperation::kSUM, 2, false), {square});
        int32_t const most = region->add(reduce(ReduceOperation::kMAX, 2), {0});
        region->setResults({sum, most});
        for (KernelRun const& run : runAll(*region, {x})) {
            for (int64_t row = 0; row < 4; ++row) {
                double squares = 0.0;
                double largest = -9.0;
                for (int64_t i = 0; i < length; ++i) {
                    squares += std::pow(x.at({row, i}), 2.0);
                    largest = std::max(largest, x.at({row, i}));
                }
                EXPECT_NEAR(run.output.data[static_cast<std::size_t>(row)], squares,
                            1e-6 * squares);
                EXPECT_EQ(run.others.at(0).data[static_cast<std::size_t>(row)], largest);
            }
        }
    }
}

TEST(PointwiseRegion, SoftMaxOfLongRowsComputesAgainWhatItNeeds) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 20000}));
    auto region = std::make_unique<Region>(1);
    int32_t const most = region->add(reduce(ReduceOperation::kMAX, 2), {0});
    int32_t const less = region->add(ops::elementwise(ElementWiseOperation::kSUB), {0, most});
    int32_t const power = region->add(ops::unary(UnaryOperation::kEXP), {less});
    int32_t const sum = region->add(reduce(ReduceOperation::kSUM, 2), {power});
    region->setResults({region->add(ops::elementwise(ElementWiseOperation::kDIV), {power, sum})});
    double sums[2] = {};
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        sums[i / 20000] += std::exp(x.data[i]);
    }
    expectAll(*region, {x},
              [&](Index const& index) { return std::exp(at(x, index)) / sums[index[0]]; },
              {0.0, 1e-6});
}

TEST(PointwiseRegion, ChoosesByConditionsAndStoresBools) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({3, 500}));
    Values const limit = tensorOf(DataType::kFLOAT, makeDims({1, 1}), {0.25});
    auto region = std::make_unique<Region>(2);
    int32_t const above = region->add(ops::elementwise(ElementWiseOperation::kGREATER), {0, 1});
    int32_t const choice = region->add(std::make_unique<graph::Select>(), {above, 1, 0});
    region->setResults({choice, above});
    std::vector<KernelRun> const runs = runAll(*region, {x, limit});
    ASSERT_FALSE(runs.empty());
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        EXPECT_EQ(runs[0].output.data[i], std::min(x.data[i], 0.25));
        EXPECT_EQ(runs[0].others.at(0).data[i], x.data[i] > 0.25 ? 1.0 : 0.0);
    }
}

TEST(PointwiseRegion, RoundsWhereACastSaysSo) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({999}));
    Values const whole = randomTensor(DataType::kINT32, makeDims({999}), -100, 100);
    auto region = std::make_unique<Region>(2);
    int32_t const narrow = region->add(ops::cast(DataType::kHALF), {0});
    int32_t const wide = region->add(ops::cast(DataType::kFLOAT), {narrow});
    int32_t const number = region->add(ops::cast(DataType::kFLOAT), {1});
    int32_t const sum = region->add(ops::elementwise(ElementWiseOperation::kSUM), {wide, number});
    region->setResults({sum, region->add(ops::cast(DataType::kINT8), {sum})});
    for (KernelRun const& run : runAll(*region, {x, whole})) {
        for (std::size_t i = 0; i < x.data.size(); ++i) {
            double const expected = rounded(DataType::kHALF, x.data[i]) + whole.data[i];
            EXPECT_NEAR(run.output.data[i], expected, 1e-5);
            EXPECT_EQ(run.others.at(0).data[i], std::trunc(run.output.data[i]));
        }
    }
}

TEST(PointwiseRegion, PowersOfUsualExponents) {
    for (double const exponent : {2.0, 0.5, 3.0, -1.0, 1.0, -0.5, 0.0, 1.7}) {
        Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 333}), 0.1, 4.0);
        Values const y = tensorOf(DataType::kFLOAT, makeDims({1, 1}), {exponent});
        expectAll(*ops::elementwise(ElementWiseOperation::kPOW), {x, y},
                  [&](Index const& index) { return std::pow(at(x, index), y.data[0]); },
                  {0.0, 3e-7});
    }
}

TEST(PointwiseRegion, RefusesWhatItCannotRun) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 4, 5}));
    auto const one = [](std::unique_ptr<graph::Op> op) {
        Region region(1);
        region.setResults({region.add(std::move(op), {0})});
        return region;
    };
    EXPECT_THAT(refusal(one(reduce(ReduceOperation::kSUM, 2)), {x}),
                HasSubstr("along the innermost axes in memory"));
    EXPECT_EQ(refusal(one(reduce(ReduceOperation::kSUM, 2)), {inFormat(TensorFormat::kHWC, x)}),
              "");
    EXPECT_EQ(refusal(one(reduce(ReduceOperation::kSUM, 12)), {x}), "");
    EXPECT_THAT(refusal(one(std::make_unique<graph::Shape>()), {x}),
                HasSubstr("expected pointwise operations and reductions, got Shape"));
    Values const whole = randomTensor(DataType::kINT32, makeDims({2}));
    EXPECT_THAT(refusal(one(ops::unary(UnaryOperation::kABS)), {whole}),
                HasSubstr("expected floating-point numbers and bools, got int32"));
    EXPECT_THAT(refusal(one(ops::cast(DataType::kINT64)), {whole}),
                HasSubstr("got int32 to int64"));
    Region mixed(2);
    mixed.setResults({mixed.add(ops::elementwise(ElementWiseOperation::kSUM), {0, 1})});
    EXPECT_THAT(refusal(mixed, {x, inFormat(TensorFormat::kHWC, x)}),
                HasSubstr("expected all operands linear or all with dense channels last"));
    Region sizes(2); // the first result is smaller
    int32_t const positive = sizes.add(ops::activation(ActivationType::kRELU), {0});
    sizes.setResults(
        {positive, sizes.add(ops::elementwise(ElementWiseOperation::kSUM), {positive, 1})});
    Values const column = randomTensor(DataType::kFLOAT, makeDims({2, 1}));
    Values const matrix = randomTensor(DataType::kFLOAT, makeDims({2, 3}));
    EXPECT_THAT(refusal(sizes, {column, matrix}),
                HasSubstr("expected results of [2,3], got [2,1]"));
}

} // namespace
} // namespace kiln::test
