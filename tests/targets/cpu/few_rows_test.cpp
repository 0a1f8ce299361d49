// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows with constant weights, alone and in regions.
#include <cmath>

#include <gmock/gmock.h>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "target/backend_registry.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::MatrixMultiply;
using graph::Region;
using nvinfer1::MatrixOperation;
using testing::HasSubstr;

Values weightsOf(Dims const& dims) {
    return asConstant(randomTensor(DataType::kFLOAT, dims));
}

std::string refusalOf(graph::Op const& op, std::vector<Values> const& inputs) {
    for (target::Candidate const& candidate : candidatesFor(op, inputs)) {
        if (candidate.kernel.ends_with("_few_rows")) {
            return candidate.refusal;
        }
    }
    return "unknown";
}

TEST(FewRows, AllSizes) {
    MatrixMultiply const op;
    for (int64_t const rows : {1, 2, 5, 6, 7, 12, 13, 16}) {
        for (int64_t const inner : {1, 5, 128, 129, 300}) {
            for (int64_t const columns : {32, 33, 64, 100}) {
                Values const x = randomTensor(DataType::kFLOAT, makeDims({rows, inner}));
                Values const w = weightsOf(makeDims({inner, columns}));
                ASSERT_EQ(refusalOf(op, {x, w}), "");
                expectAll(op, {x, w},
                          [&](std::vector<int64_t> const& at) {
                              double sum = 0.0;
                              for (int64_t k = 0; k < inner; ++k) {
                                  sum += x.at({at[0], k}) * w.at({k, at[1]});
                              }
                              return sum;
                          },
                          {1e-4, 1e-5});
            }
        }
    }
}

TEST(FewRows, TransposedWeightsOfAVector) {
    MatrixMultiply op;
    op.operation = {MatrixOperation::kVECTOR, MatrixOperation::kTRANSPOSE};
    Values const x = randomTensor(DataType::kFLOAT, makeDims({70}));
    Values const w = weightsOf(makeDims({45, 70}));
    EXPECT_EQ(refusalOf(op, {x, w}), "");
    expectAll(op, {x, w},
              [&](std::vector<int64_t> const& at) {
                  double sum = 0.0;
                  for (int64_t k = 0; k < 70; ++k) {
                      sum += x.at({k}) * w.at({at[0], k});
                  }
                  return sum;
              },
              {1e-5, 1e-5});
}

TEST(FewRows, SumsInBlocks) {
    // Small terms behind a large one: one sum of all would lose each of them.
    MatrixMultiply const op;
    Values x = randomTensor(DataType::kFLOAT, makeDims({1, 4096}));
    Values w = weightsOf(makeDims({4096, 32}));
    std::fill(x.data.begin(), x.data.end(), 1.0);
    std::fill(w.data.begin(), w.data.end(), 0x1p-25);
    std::fill_n(w.data.begin(), 32, 1.0);
    for (KernelRun const& run : runAll(op, {x, w})) {
        if (run.kernel == "matrix_multiply_few_rows") {
            EXPECT_NEAR(run.output.data[0], 1.0 + 4095 * 0x1p-25, 0x1p-18);
        }
    }
}

/// gelu(x * w + bias) + term, for x of [2, 3, 40].
struct Layer {
    Region region{4};
    std::vector<Values> inputs{randomTensor(DataType::kFLOAT, makeDims({2, 3, 40})),
                               weightsOf(makeDims({1, 40, 50})), weightsOf(makeDims({1, 1, 50})),
                               randomTensor(DataType::kFLOAT, makeDims({2, 3, 50}))};

    Layer() {
        auto const sum = [] {
            auto op = std::make_unique<graph::ElementWise>();
            op->operation = nvinfer1::ElementWiseOperation::kSUM;
            return op;
        };
        auto gelu = std::make_unique<graph::Activation>();
        gelu->type = nvinfer1::ActivationType::kGELU_ERF;
        int32_t const product = region.add(std::make_unique<MatrixMultiply>(), {0, 1});
        int32_t const shifted = region.add(sum(), {product, 2});
        int32_t const bent = region.add(std::move(gelu), {shifted});
        region.setResults({region.add(sum(), {3, bent})});
    }
};

TEST(FewRows, OperationsBehindTheProduct) {
    Layer const layer;
    ASSERT_EQ(refusalOf(layer.region, layer.inputs), "");
    expectAll(layer.region, layer.inputs,
              [&](std::vector<int64_t> const& at) {
                  double sum = layer.inputs[2].at({0, 0, at[2]});
                  for (int64_t k = 0; k < 40; ++k) {
                      sum +=
                          layer.inputs[0].at({at[0], at[1], k}) * layer.inputs[1].at({0, k, at[2]});
                  }
                  return 0.5 * sum * (1 + std::erf(sum / std::sqrt(2.0))) +
                         layer.inputs[3].at({at[0], at[1], at[2]});
              },
              {2e-5, 1e-5});
}

TEST(FewRows, Refusals) {
    MatrixMultiply op;
    Values const x = randomTensor(DataType::kFLOAT, makeDims({17, 8}));
    EXPECT_THAT(refusalOf(op, {x, weightsOf(makeDims({8, 40}))}), HasSubstr("at most 16 rows"));
    Values const few = randomTensor(DataType::kFLOAT, makeDims({3, 8}));
    EXPECT_THAT(refusalOf(op, {few, weightsOf(makeDims({8, 31}))}), HasSubstr("32 columns"));
    EXPECT_THAT(refusalOf(op, {few, randomTensor(DataType::kFLOAT, makeDims({8, 40}))}),
                HasSubstr("constant right operand"));
    Values const halves = randomTensor(DataType::kHALF, makeDims({3, 8}));
    EXPECT_THAT(
        refusalOf(op, {halves, asConstant(randomTensor(DataType::kHALF, makeDims({8, 40})))}),
        HasSubstr("float32"));
    Values const batch = randomTensor(DataType::kFLOAT, makeDims({2, 3, 8}));
    EXPECT_THAT(refusalOf(op, {batch, weightsOf(makeDims({2, 8, 40}))}), HasSubstr("one matrix"));
    op.operation[0] = MatrixOperation::kTRANSPOSE;
    Values const turned = randomTensor(DataType::kFLOAT, makeDims({8, 3}));
    EXPECT_THAT(refusalOf(op, {turned, weightsOf(makeDims({8, 40}))}), HasSubstr("memory order"));
}

TEST(FewRows, HostileRecords) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    MatrixMultiply const op;
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({2, 8})),
                                     weightsOf(makeDims({8, 40}))};
    Values const output = inferredOutput(op, inputs);
    auto record = recordOf(op, "matrix_multiply_few_rows", inputs, std::span(&output, 1));
    record.inputs[1].tag = 1;
    Bytes bytes(8 * 64 * sizeof(float));
    auto const problem = [&](std::size_t count, bool constant = true) -> std::string {
        std::vector<target::ConstantOperand> constants(2);
        if (constant) {
            constants[1] = {bytes.data(), bytes.data(), count, inputs[1].dims};
        }
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
    EXPECT_THAT(problem(bytes.size() - 4), HasSubstr("expected 2048 bytes of packed weights"));
    EXPECT_THAT(problem(0, false), HasSubstr("expected packed weights"));
    record.inputs[1].tag = 0;
    EXPECT_THAT(problem(bytes.size()), HasSubstr("expected elements in the order 1, got 0"));
    record.inputs[1].tag = 1;
    record.inputs[0].type = DataType::kHALF;
    EXPECT_THAT(problem(bytes.size()), HasSubstr("["));
}

} // namespace
} // namespace kiln::test
