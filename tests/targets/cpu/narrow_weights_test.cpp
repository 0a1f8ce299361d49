// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights that a region dequantizes.
#include <algorithm>

#include <gmock/gmock.h>

#include "graph/ops/activation.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "target/backend_registry.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Dequantize;
using graph::MatrixMultiply;
using graph::Region;
using nvinfer1::MatrixOperation;
using testing::HasSubstr;

Values numbers(DataType type, Dims const& dims) {
    double const most = type == DataType::kINT4 ? 8.0 : type == DataType::kUINT8 ? 255.0 : 128.0;
    return asConstant(randomTensor(type, dims, type == DataType::kUINT8 ? 0.0 : -most, most));
}

Values scales(Dims const& dims, DataType type = DataType::kFLOAT) {
    return asConstant(randomTensor(type, dims, 0.01, 0.2));
}

/// x * dequantize(weights): inputs x, weights, scale.
struct Product {
    Region region{3};

    explicit Product(Dims const& block = {0, {}}, int32_t axis = -1, bool transposed = false,
                     MatrixOperation left = MatrixOperation::kNONE,
                     DataType type = DataType::kFLOAT) {
        auto source = std::make_unique<Dequantize>();
        source->blockShape = block;
        source->axis = axis;
        source->toType = type;
        auto product = std::make_unique<MatrixMultiply>();
        product->operation = {left,
                              transposed ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE};
        int32_t const wide = region.add(std::move(source), {1, 2});
        region.setResults({region.add(std::move(product), {0, wide})});
    }
};

std::string refusalOf(graph::Op const& op, std::vector<Values> const& inputs) {
    for (target::Candidate const& candidate : candidatesFor(op, inputs)) {
        if (candidate.kernel == "region_narrow_weights") {
            return candidate.refusal;
        }
    }
    return "unknown";
}

void expectProduct(Product const& product, std::vector<Values> const& inputs,
                   std::function<double(int64_t k, int64_t column)> const& weight) {
    ASSERT_EQ(refusalOf(product.region, inputs), "");
    Values const& x = inputs[0];
    int64_t const inner = x.dims.d[x.dims.nbDims - 1];
    expectAll(product.region, inputs,
              [&](std::vector<int64_t> const& at) {
                  int64_t row = 0;
                  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
                      row = row * x.dims.d[i] + at[i];
                  }
                  double sum = 0.0;
                  for (int64_t k = 0; k < inner; ++k) {
                      sum +=
                          x.data[static_cast<std::size_t>(row * inner + k)] * weight(k, at.back());
                  }
                  return sum;
              },
              {1e-2, 1e-4});
}

TEST(NarrowWeights, AllSizes) {
    for (DataType const type : {DataType::kINT4, DataType::kINT8, DataType::kUINT8}) {
        for (int64_t const rows : {1, 2, 3, 5, 8, 9, 16, 17, 128}) {
            for (auto const& [inner, block] : {std::pair<int64_t, int64_t>{64, 32}, {200, 16}}) {
                for (int64_t const columns : {5, 32, 70}) {
                    int64_t const blocks = (inner + block - 1) / block;
                    std::vector<Values> const inputs{
                        randomTensor(DataType::kFLOAT, makeDims({rows, inner})),
                        numbers(type, makeDims({columns, inner})),
                        scales(makeDims({columns, blocks}))};
                    Product const product(makeDims({1, block}), -1, true);
                    expectProduct(product, inputs, [&](int64_t k, int64_t column) {
                        return inputs[1].at({column, k}) * inputs[2].at({column, k / block});
                    });
                }
            }
        }
    }
}

TEST(NarrowWeights, ScalesOfColumnsAndOne) {
    for (DataType const type : {DataType::kINT4, DataType::kINT8}) {
        Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 300}));
        Values const w = numbers(type, makeDims({1, 300, 40}));
        Values const column = scales(makeDims({40}), DataType::kHALF);
        expectProduct(Product({0, {}}, 2), {x, w, column},
                      [&](int64_t k, int64_t i) { return w.at({0, k, i}) * column.at({i}); });
        Values const single = scales(makeDims({1}), DataType::kBF16);
        expectProduct(Product(), {x, w, single},
                      [&](int64_t k, int64_t i) { return w.at({0, k, i}) * single.at({0}); });
        Values const blocks = scales(makeDims({1, 3, 40}));
        expectProduct(Product(makeDims({1, 100, 1})), {x, w, blocks}, [&](int64_t k, int64_t i) {
            return w.at({0, k, i}) * blocks.at({0, k / 100, i});
        });
    }
}

TEST(NarrowWeights, RowsOfNothing) {
    Product const product(makeDims({1, 32}), -1, true);
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({0, 64})),
                                     numbers(DataType::kINT4, makeDims({40, 64})),
                                     scales(makeDims({40, 2}))};
    EXPECT_EQ(refusalOf(product.region, inputs), "");
    expectAll(product.region, inputs, [](auto const&) { return 0.0; }, {});
}

TEST(NarrowWeights, OperationsBehindTheProduct) {
    Region region(4);
    auto bias = std::make_unique<graph::ElementWise>();
    bias->operation = nvinfer1::ElementWiseOperation::kSUM;
    auto relu = std::make_unique<graph::Activation>();
    relu->type = nvinfer1::ActivationType::kRELU;
    int32_t const wide = region.add(std::make_unique<Dequantize>(), {2, 1});
    int32_t const product = region.add(std::make_unique<MatrixMultiply>(), {0, wide});
    int32_t const shifted = region.add(std::move(bias), {3, product});
    region.setResults({region.add(std::move(relu), {shifted})});
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({3, 40})),
                                     scales(makeDims({1})),
                                     numbers(DataType::kINT8, makeDims({40, 50})),
                                     asConstant(randomTensor(DataType::kFLOAT, makeDims({1, 50})))};
    ASSERT_EQ(refusalOf(region, inputs), "");
    expectAll(region, inputs,
              [&](std::vector<int64_t> const& at) {
                  double sum = inputs[3].at({0, at[1]});
                  for (int64_t k = 0; k < 40; ++k) {
                      sum +=
                          inputs[0].at({at[0], k}) * inputs[1].data[0] * inputs[2].at({k, at[1]});
                  }
                  return std::max(sum, 0.0);
              },
              {1e-3, 1e-4});
}

TEST(NarrowWeights, Refusals) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 64}));
    Values const w = numbers(DataType::kINT4, makeDims({40, 64}));
    Values const s = scales(makeDims({40, 2}));
    Product const product(makeDims({1, 32}), -1, true);
    Values variable = w;
    variable.constant = false;
    EXPECT_THAT(refusalOf(product.region, {x, variable, s}), HasSubstr("constant weights"));
    Values const half = randomTensor(DataType::kHALF, makeDims({2, 64}));
    Product const halves(makeDims({1, 32}), -1, true, MatrixOperation::kNONE, DataType::kHALF);
    EXPECT_THAT(refusalOf(halves.region, {half, w, s}), HasSubstr("float32"));
    EXPECT_THAT(
        refusalOf(Product(makeDims({1, 4}), -1, true).region, {x, w, scales(makeDims({40, 16}))}),
        HasSubstr("8 terms or more"));
    EXPECT_THAT(
        refusalOf(Product(makeDims({10, 64}), -1, true).region, {x, w, scales(makeDims({4, 1}))}),
        HasSubstr("one for each column"));
    EXPECT_THAT(refusalOf(Product({0, {}}, 1, true).region, {x, w, scales(makeDims({64}))}),
                HasSubstr("one for each column"));
    Values const turned = randomTensor(DataType::kFLOAT, makeDims({64, 2}));
    EXPECT_THAT(refusalOf(Product(makeDims({1, 32}), -1, true, MatrixOperation::kTRANSPOSE).region,
                          {turned, w, s}),
                HasSubstr("memory order"));
    EXPECT_THAT(
        refusalOf(product.region, {randomTensor(DataType::kFLOAT, makeDims({129, 64})), w, s}),
        HasSubstr("at most 128 rows"));
    Values const batches = numbers(DataType::kINT4, makeDims({2, 64, 40}));
    EXPECT_THAT(refusalOf(Product().region, {randomTensor(DataType::kFLOAT, makeDims({2, 3, 64})),
                                             batches, scales(makeDims({1}))}),
                HasSubstr("one matrix"));
}

TEST(NarrowWeights, HostileRecords) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    Product const product(makeDims({1, 32}), -1, true);
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({2, 64})),
                                     numbers(DataType::kINT4, makeDims({40, 64})),
                                     scales(makeDims({40, 2}))};
    Values const output = inferredOutput(product.region, inputs);
    auto record = recordOf(product.region, "region_narrow_weights", inputs, std::span(&output, 1));
    record.inputs[1].tag = 1;
    record.inputs[2].tag = 2;
    Bytes const bytes(8192);
    auto const problem = [&](std::size_t count, bool constant = true) -> std::string {
        std::vector<target::ConstantOperand> constants(3);
        if (constant) {
            constants[1] = {bytes.data(), bytes.data(), count, inputs[1].dims};
            constants[2] = {bytes.data(), bytes.data(), 2 * 64 * 4, inputs[2].dims};
        }
        try {
            auto const kernel = cpu.load(record, constants);
            auto const instance = kernel->instantiate();
            std::vector<Dims> const dims{inputs[0].dims, inputs[1].dims, inputs[2].dims};
            instance->reshape(dims, std::span(&output.dims, 1));
        } catch (Error const& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(problem(2048), "none");
    EXPECT_THAT(problem(2047), HasSubstr("expected 2048 and 512 bytes of packed weights"));
    EXPECT_THAT(problem(0, false), HasSubstr("expected packed weights with scales"));
    record.inputs[0].type = DataType::kHALF;
    EXPECT_THAT(problem(2048), HasSubstr("["));
}

class IsaNarrowProduct : public testing::TestWithParam<std::size_t> {};

TEST_P(IsaNarrowProduct, AllKinds) {
    using namespace targets::cpu;
    Isa const& isa = usableIsas()[GetParam()];
    constexpr int64_t kInner = 150;
    constexpr int64_t kBlock = 40;
    constexpr std::size_t kWidth = kStreamColumns;
    for (int32_t kind = 0; kind < kNarrowKinds; ++kind) {
        auto const rowBytes =
            static_cast<std::size_t>(narrowRowBytes(static_cast<NarrowKind>(kind)));
        std::vector<uint8_t> bytes(kInner * rowBytes);
        std::vector<float> factors(4 * kWidth);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<uint8_t>(i * 37 + i / 5);
        }
        for (std::size_t i = 0; i < factors.size(); ++i) {
            factors[i] = static_cast<float>(i % 7 + 1) / 8.0F;
        }
        NarrowPiece const piece{bytes.data(), factors.data(), kInner, kBlock};
        auto const weight = [&](std::size_t k, std::size_t column) {
            std::size_t const half = kWidth / 2;
            int32_t number = 0;
            if (kind == 0) {
                number = bytes[k * rowBytes + column % half] >> (column < half ? 0 : 4) & 15;
                number = number > 7 ? number - 16 : number;
            } else {
                number = bytes[k * rowBytes + column];
                number = kind == 1 ? static_cast<int8_t>(number) : number;
            }
            return static_cast<float>(number) * factors[k / kBlock * kWidth + column];
        };
        std::vector<float> wide(kInner * kWidth);
        isa.narrowToFloat[kind](piece, 0, kInner, wide.data(), kStreamColumns);
        for (std::size_t i = 0; i < wide.size(); ++i) {
            ASSERT_EQ(wide[i], weight(i / kWidth, i % kWidth)) << kind << " " << i;
        }
        for (std::size_t const rows : {1U, 2U, 4U, 7U, 13U}) {
            std::vector<float> a(rows * kInner);
            for (std::size_t i = 0; i < a.size(); ++i) {
                a[i] = static_cast<float>(i % 11) - 5.0F;
            }
            std::vector<float> totals(rows * kWidth, 1.0F);
            isa.narrowProduct[kind](piece, static_cast<int64_t>(rows), a.data(), kInner,
                                    totals.data());
            for (std::size_t i = 0; i < totals.size(); ++i) {
                double sum = 1.0;
                for (std::size_t k = 0; k < kInner; ++k) {
                    sum += static_cast<double>(a[i / kWidth * kInner + k]) * weight(k, i % kWidth);
                }
                ASSERT_NEAR(totals[i], sum, 1e-5 * std::abs(sum) + 0.1) << kind << " " << i;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Usable, IsaNarrowProduct,
                         testing::Range(std::size_t{0}, targets::cpu::usableIsas().size()));

} // namespace
} // namespace kiln::test
