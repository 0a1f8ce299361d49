// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Regions: a convolution or a matrix product with operations behind it.
#include "graph/ops/unary.h"
#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using graph::Region;
using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;

class OnednnFusion : public Onednn {};

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

/// A region whose first node has the inputs 0 and 1, and what the test expects of it.
struct Case {
    std::unique_ptr<Region> region;
    int32_t value = 0; ///< the result so far

    Case(int32_t inputs, std::unique_ptr<graph::Op> anchor)
        : region(std::make_unique<Region>(inputs)), value(region->add(std::move(anchor), {0, 1})) {
        region->setResults({value});
    }
    Case& then(std::unique_ptr<graph::Op> op) {
        value = region->add(std::move(op), {value});
        region->setResults({value});
        return *this;
    }
    Case& with(ElementWiseOperation operation, int32_t input) {
        value = region->add(elementwiseOf(operation), {value, input});
        region->setResults({value});
        return *this;
    }
    Case& gatedBy(std::unique_ptr<graph::Op> gate) {
        int32_t const gated = region->add(std::move(gate), {value});
        value = region->add(elementwiseOf(ElementWiseOperation::kPROD), {value, gated});
        region->setResults({value});
        return *this;
    }
};

struct Function {
    char const* name;
    std::function<void(Case&)> add;
    std::function<double(double)> expected;
};

std::vector<Function> functions() {
    return {
        {"relu", [](Case& c) { c.then(activationOf(ActivationType::kRELU)); },
         [](double x) { return std::max(x, 0.0); }},
        {"leaky relu", [](Case& c) { c.then(activationOf(ActivationType::kLEAKY_RELU, 0.1F)); },
         [](double x) { return x < 0 ? 0.1 * x : x; }},
        {"clip", [](Case& c) { c.then(activationOf(ActivationType::kCLIP, -0.5F, 1.0F)); },
         [](double x) { return std::clamp(x, -0.5, 1.0); }},
        {"elu", [](Case& c) { c.then(activationOf(ActivationType::kELU, 0.5F)); },
         [](double x) { return x < 0 ? 0.5 * std::expm1(x) : x; }},
        {"sigmoid", [](Case& c) { c.then(activationOf(ActivationType::kSIGMOID)); }, sigmoid},
        {"tanh", [](Case& c) { c.then(activationOf(ActivationType::kTANH)); },
         [](double x) { return std::tanh(x); }},
        {"gelu erf", [](Case& c) { c.then(activationOf(ActivationType::kGELU_ERF)); },
         [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
        {"gelu tanh", [](Case& c) { c.then(activationOf(ActivationType::kGELU_TANH)); },
         [](double x) {
             return 0.5 * x *
                    (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
         }},
        {"hard sigmoid",
         [](Case& c) { c.then(activationOf(ActivationType::kHARD_SIGMOID, 0.2F, 0.5F)); },
         [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
        {"swish", [](Case& c) { c.gatedBy(activationOf(ActivationType::kSIGMOID)); },
         [](double x) { return x * sigmoid(x); }},
        {"hard swish",
         [](Case& c) { c.gatedBy(activationOf(ActivationType::kHARD_SIGMOID, 1.0F / 6.0F, 0.5F)); },
         [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
        {"negated",
         [](Case& c) {
             auto op = std::make_unique<graph::Unary>();
             op->operation = nvinfer1::UnaryOperation::kNEG;
             c.then(std::move(op));
         },
         [](double x) { return -x; }},
    };
}

TEST_F(OnednnFusion, Functions) {
    for (DataType const type : typesOfProcessor()) {
        Values const x = randomTensor(type, makeDims({1, 16, 6, 5}));
        Values const kernel = asConstant(randomTensor(type, makeDims({32, 16, 3, 3}), -0.2, 0.2));
        auto const conv = convolutionOf(32, makeDims({3, 3}), makeDims({1, 1}));
        auto const plain = plainConvolution(*conv, x, kernel, makeDims({1, 32, 6, 5}));
        for (Function const& function : functions()) {
            for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
                SCOPED_TRACE(function.name);
                Case test(2, conv->clone());
                function.add(test);
                std::vector<double> expected = plain;
                std::transform(plain.begin(), plain.end(), expected.begin(), function.expected);
                expectNear(runOnednn(*test.region, {inFormat(x, format), kernel}, format), expected,
                           {2e-4, roundingOf(type) * 1.01 + 1e-5});
            }
        }
    }
}

TEST_F(OnednnFusion, BiasResidualAndScaleOfAConvolution) {
    Dims const output = makeDims({2, 32, 6, 5});
    for (DataType const type : typesOfProcessor()) {
        for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            Values const x = randomTensor(type, makeDims({2, 16, 6, 5}));
            Values const kernel =
                asConstant(randomTensor(type, makeDims({32, 16, 3, 3}), -0.2, 0.2));
            Values const bias = asConstant(randomTensor(type, makeDims({1, 32, 1, 1})));
            Values const residual = randomTensor(type, output);
            if (type == DataType::kFLOAT && format == TensorFormat::kLINEAR) {
                continue; // oneDNN has only a reference for the residual
            }
            Values const scale = asConstant(randomTensor(type, makeDims({1, 1, 1, 1})));
            auto const conv = convolutionOf(32, makeDims({3, 3}), makeDims({1, 1}));
            std::vector<double> expected = plainConvolution(*conv, x, kernel, output);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                expected[i] =
                    scale.data[0] *
                    std::max(expected[i] + bias.data[i / 30 % 32] + residual.data[i], 0.0);
            }
            Case test(5, conv->clone());
            test.with(ElementWiseOperation::kSUM, 2)
                .with(ElementWiseOperation::kSUM, 3)
                .then(activationOf(ActivationType::kRELU))
                .with(ElementWiseOperation::kPROD, 4);
            expectNear(runOnednn(*test.region,
                                 {inFormat(x, format), kernel, bias, inFormat(residual, format),
                                  inFormat(scale, format)},
                                 format),
                       expected, {2e-4, 2 * roundingOf(type) + 1e-5});
        }
    }
}

/// x[2, 3, 8] times w[1, 8, 16].
std::vector<double> plainProduct(Values const& x, Values const& w) {
    std::vector<double> result;
    for (int64_t row = 0; row < 6; ++row) {
        for (int64_t column = 0; column < 16; ++column) {
            double sum = 0.0;
            for (int64_t k = 0; k < 8; ++k) {
                sum += x.data[static_cast<std::size_t>(row * 8 + k)] * w.at({0, k, column});
            }
            result.push_back(sum);
        }
    }
    return result;
}

TEST_F(OnednnFusion, BiasFunctionAndResidualOfAProduct) {
    for (DataType const type : {DataType::kFLOAT, DataType::kBF16, DataType::kHALF}) {
        for (bool const constant : {true, false}) {
            Values const x = randomTensor(type, makeDims({2, 3, 8}));
            Values w = randomTensor(type, makeDims({1, 8, 16}));
            w.constant = constant;
            Values const bias = asConstant(randomTensor(type, makeDims({1, 1, 16})));
            Values const residual = randomTensor(type, makeDims({2, 3, 16}));
            std::vector<double> expected = plainProduct(x, w);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                expected[i] = std::tanh(expected[i] + bias.data[i % 16]) + residual.data[i];
            }
            Case test(4, std::make_unique<graph::MatrixMultiply>());
            test.with(ElementWiseOperation::kSUM, 2)
                .then(activationOf(ActivationType::kTANH))
                .with(ElementWiseOperation::kSUM, 3);
            if ((type == DataType::kHALF || (type == DataType::kBF16 && !hasBfloat16())) &&
                !onednnFor(*test.region, {x, w, bias, residual}).offered()) {
                continue; // the processor has no instructions for it
            }
            expectNear(runOnednn(*test.region, {x, w, bias, residual}), expected,
                       {2e-4, 2 * roundingOf(type) + 1e-5});
        }
    }
}

TEST_F(OnednnFusion, OperandThatRepeatsAlongTheBatch) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 8}));
    Values const w = asConstant(randomTensor(DataType::kFLOAT, makeDims({1, 8, 16})));
    Values const mask = randomTensor(DataType::kFLOAT, makeDims({2, 1, 16}));
    std::vector<double> expected = plainProduct(x, w);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += mask.data[i / 48 * 16 + i % 16];
    }
    Case test(3, std::make_unique<graph::MatrixMultiply>());
    test.with(ElementWiseOperation::kSUM, 2);
    if (std::string const refusal = onednnFor(*test.region, {x, w, mask}).refusal;
        refusal.empty()) {
        expectNear(runOnednn(*test.region, {x, w, mask}), expected, {1e-4, 1e-5});
    } else {
        EXPECT_EQ(refusal, "oneDNN has only the reference 'ref:any' for it");
    }
}

TEST_F(OnednnFusion, WhatIsRefused) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 16, 4, 4}));
    Values const kernel = asConstant(randomTensor(DataType::kFLOAT, makeDims({16, 16, 1, 1})));
    Values const more = randomTensor(DataType::kFLOAT, makeDims({2, 16, 4, 4}));
    auto const conv = convolutionOf(16, makeDims({1, 1}), makeDims({0, 0}));
    auto const refusalOf = [&](Region const& region, std::vector<Values> const& inputs) {
        return onednnFor(region, inputs).refusal;
    };

    Case enlarged(3, conv->clone());
    enlarged.with(ElementWiseOperation::kSUM, 2);
    EXPECT_EQ(refusalOf(*enlarged.region, {x, kernel, more}),
              "expected values of the output's type and shape, [2,16,4,4], got [1,16,4,4]");

    Case power(3, conv->clone());
    power.with(ElementWiseOperation::kPOW, 2);
    EXPECT_EQ(refusalOf(*power.region, {x, kernel, x}),
              "oneDNN does not run operation 1 (ElementWise) after the first one");

    Case square(2, conv->clone());
    square.value = square.region->add(elementwiseOf(ElementWiseOperation::kPROD),
                                      {square.value, square.value});
    square.region->setResults({square.value});
    EXPECT_EQ(refusalOf(*square.region, {x, kernel}),
              "expected every result but the last to be read once");

    Case inside(2, conv->clone());
    int32_t const first = inside.value;
    inside.then(activationOf(ActivationType::kRELU));
    inside.region->setResults({first});
    EXPECT_EQ(refusalOf(*inside.region, {x, kernel}),
              "expected one result, that of the last operation");

    Region other(1);
    other.setResults({other.add(activationOf(ActivationType::kRELU), {0})});
    EXPECT_EQ(refusalOf(other, {x}), "expected a convolution or a matrix product as the first "
                                     "operation, got Activation");
}

} // namespace
} // namespace kiln::test
