// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/activation.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Activation;
using nvinfer1::ActivationType;

/// The formulas of ActivationType in double precision.
double formula(ActivationType type, double x, double alpha, double beta) {
    double const pi = std::acos(-1.0);
    switch (type) {
    case ActivationType::kRELU: return std::fmax(x, 0.0);
    case ActivationType::kSIGMOID: return 1.0 / (1.0 + std::exp(-x));
    case ActivationType::kTANH: return std::tanh(x);
    case ActivationType::kLEAKY_RELU: return x >= 0.0 ? x : alpha * x;
    case ActivationType::kELU: return x >= 0.0 ? x : alpha * (std::exp(x) - 1.0);
    case ActivationType::kSELU: return x > 0.0 ? beta * x : beta * (alpha * std::exp(x) - alpha);
    case ActivationType::kSOFTSIGN: return x / (1.0 + std::fabs(x));
    case ActivationType::kSOFTPLUS: return alpha * std::log(std::exp(beta * x) + 1.0);
    case ActivationType::kCLIP: return std::fmax(alpha, std::fmin(beta, x));
    case ActivationType::kHARD_SIGMOID: return std::fmax(0.0, std::fmin(1.0, alpha * x + beta));
    case ActivationType::kSCALED_TANH: return alpha * std::tanh(beta * x);
    case ActivationType::kTHRESHOLDED_RELU: return x > alpha ? x : 0.0;
    case ActivationType::kGELU_ERF: return x / 2.0 * (1.0 + std::erf(x / std::sqrt(2.0)));
    case ActivationType::kGELU_TANH:
        return x / 2.0 * (1.0 + std::tanh(std::sqrt(2.0 / pi) * (x + 0.044715 * std::pow(x, 3.0))));
    }
    return std::nan("");
}

Activation activationOf(ActivationType type, float alpha = 0.0F, float beta = 0.0F) {
    Activation op;
    op.type = type;
    op.alpha = alpha;
    op.beta = beta;
    return op;
}

class ActivationKernels : public testing::TestWithParam<int32_t> {};

TEST_P(ActivationKernels, FollowTheFormula) {
    Activation const op = activationOf(static_cast<ActivationType>(GetParam()), 0.3F, 0.7F);
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        for (Dims const& dims : {makeDims({1}), makeDims({3, 5}), makeDims({2, 3, 37}),
                                 makeDims({0, 4}), makeDims({}), makeDims({4099})}) {
            Values const x = randomTensor(type, dims, -6.0, 6.0);
            // Several float roundings during the computation, and one to the type at the end.
            Tolerance const tolerance{2e-6, roundingOf(type) * 1.01 + 2e-6};
            expectAll(
                op, {x},
                [&, next = std::size_t{0}](auto const&) mutable {
                    double const value = x.data[next];
                    next = (next + 1) % x.data.size();
                    return formula(op.type, value, op.alpha, op.beta);
                },
                tolerance);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ActivationKernels,
                         testing::Range(0, nvinfer1::EnumMax<ActivationType>()));

TEST(ActivationKernelsOfExtremes, StayFinite) {
    double const inf = std::numeric_limits<double>::infinity();
    Values const x = tensorOf(DataType::kFLOAT, makeDims({4}), {-inf, -100.0, 100.0, inf});
    auto const outputs = [&](ActivationType type) {
        auto const runs = runAll(activationOf(type, 1.0F, 1.0F), {x});
        for (KernelRun const& run : runs) {
            for (std::size_t i = 0; i < x.data.size(); ++i) {
                // Some kernels round subnormal numbers to 0.
                double const other = runs.back().output.data[i];
                EXPECT_TRUE(run.output.data[i] == other ||
                            std::fabs(run.output.data[i] - other) < 1e-37)
                    << run.kernel;
            }
        }
        return runs.back().output.data;
    };
    EXPECT_EQ(outputs(ActivationType::kSIGMOID)[0], 0.0);
    EXPECT_EQ(outputs(ActivationType::kSIGMOID)[3], 1.0);
    EXPECT_EQ(outputs(ActivationType::kTANH), (std::vector<double>{-1.0, -1.0, 1.0, 1.0}));
    EXPECT_NEAR(outputs(ActivationType::kSOFTPLUS)[2], 100.0, 1e-5);
    EXPECT_EQ(outputs(ActivationType::kELU)[0], -1.0);
}

TEST(ActivationKernelsOfExtremes, KeepNaN) {
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1}), {std::nan("")});
    for (int32_t type = 0; type < nvinfer1::EnumMax<ActivationType>(); ++type) {
        expectAll(activationOf(static_cast<ActivationType>(type), 0.3F, 0.7F), {x},
                  [](auto const&) { return std::nan(""); }, {});
    }
}

TEST(ActivationKernelsOfIntegers, ReluAndClip) {
    for (DataType const type : {DataType::kINT8, DataType::kINT32, DataType::kINT64}) {
        Values const x = tensorOf(type, makeDims({4}), {-100, -1, 0, 100});
        expectAll(activationOf(ActivationType::kRELU), {x},
                  [&](auto const& i) { return std::fmax(0.0, x.data[std::size_t(i[0])]); }, {});
        expectAll(activationOf(ActivationType::kCLIP, -5.0F, 7.5F), {x},
                  [&](auto const& i) {
                      return std::fmin(7.0, std::fmax(-5.0, x.data[std::size_t(i[0])]));
                  },
                  {});
    }
}

} // namespace
} // namespace kiln::test
