// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element. float32, float16 and bfloat16, computed in float32; ReLU
// and clip also support int8, int32 and int64. NaN stays NaN. The fast kernel converts blocks to
// float32 and uses a vectorized exp; it supports the functions that need only arithmetic and exp.
#include "graph/ops/activation.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::ActivationType;

constexpr float kSqrtHalf = 0.70710678118654752F;      // sqrt(1 / 2)
constexpr float kSqrtTwoOverPi = 0.79788456080286536F; // sqrt(2 / pi)

/// log(exp(x) + 1) without overflow.
float softplus(float x) {
    return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x)));
}

template <ActivationType kType>
float activate(float x, float alpha, float beta) {
    switch (kType) {
    case ActivationType::kRELU: return x < 0.0F ? 0.0F : x;
    case ActivationType::kSIGMOID: return 1.0F / (1.0F + std::exp(-x));
    case ActivationType::kTANH: return std::tanh(x);
    case ActivationType::kLEAKY_RELU: return x < 0.0F ? alpha * x : x;
    case ActivationType::kELU: return x < 0.0F ? alpha * std::expm1(x) : x;
    case ActivationType::kSELU: return beta * (x > 0.0F ? x : alpha * std::expm1(x));
    case ActivationType::kSOFTSIGN: return x / (1.0F + std::abs(x));
    case ActivationType::kSOFTPLUS: return alpha * softplus(beta * x);
    case ActivationType::kCLIP: {
        float const low = x > beta ? beta : x;
        return low < alpha ? alpha : low;
    }
    case ActivationType::kHARD_SIGMOID: {
        float const line = alpha * x + beta;
        return line < 0.0F ? 0.0F : line > 1.0F ? 1.0F : line;
    }
    case ActivationType::kSCALED_TANH: return alpha * std::tanh(beta * x);
    case ActivationType::kTHRESHOLDED_RELU: return x <= alpha ? 0.0F : x;
    case ActivationType::kGELU_ERF: return 0.5F * x * (1.0F + std::erf(x * kSqrtHalf));
    case ActivationType::kGELU_TANH:
        return 0.5F * x * (1.0F + std::tanh(kSqrtTwoOverPi * (x + 0.044715F * x * x * x)));
    }
    return x;
}

/// Whether a function is cheap arithmetic, one exponential, or neither.
enum class Cost { kArithmetic, kExponential, kOther };

constexpr Cost costOf(ActivationType type) {
    switch (type) {
    case ActivationType::kRELU:
    case ActivationType::kLEAKY_RELU:
    case ActivationType::kSOFTSIGN:
    case ActivationType::kCLIP:
    case ActivationType::kHARD_SIGMOID:
    case ActivationType::kTHRESHOLDED_RELU: return Cost::kArithmetic;
    case ActivationType::kSIGMOID:
    case ActivationType::kGELU_TANH: return Cost::kExponential;
    default: return Cost::kOther;
    }
}

/// 1 / (1 + exp(-x)) for a block; `scratch` has `count` elements.
void sigmoidBlock(float const* x, float* to, int64_t count, float* scratch) {
    for (int64_t i = 0; i < count; ++i) {
        scratch[i] = -x[i];
    }
    isa().exp(scratch, 0.0F, scratch, count);
    for (int64_t i = 0; i < count; ++i) {
        to[i] = 1.0F / (1.0F + scratch[i]);
    }
}

template <ActivationType kType>
void activateBlock(float const* x, float* to, int64_t count, float alpha, float beta) {
    float scratch[kBlock];
    if constexpr (kType == ActivationType::kSIGMOID) {
        sigmoidBlock(x, to, count, scratch);
    } else if constexpr (kType == ActivationType::kGELU_TANH) {
        // x / 2 * (1 + tanh(u)) = x * sigmoid(2 * u)
        float inner[kBlock];
        for (int64_t i = 0; i < count; ++i) {
            inner[i] = 2.0F * kSqrtTwoOverPi * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
        }
        sigmoidBlock(inner, inner, count, scratch);
        for (int64_t i = 0; i < count; ++i) {
            // The sigmoid of a large negative number is 0; avoids 0 * infinity.
            to[i] = inner[i] == 0.0F ? 0.0F : x[i] * inner[i];
        }
    } else {
        for (int64_t i = 0; i < count; ++i) {
            to[i] = activate<kType>(x[i], alpha, beta);
        }
    }
}

struct ActivationBlocks {
    using Op = graph::Activation;
    struct State {
        int64_t count = 0;
        float alpha = 0.0F;
        float beta = 0.0F;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        return costOf(op.type) == Cost::kOther
                   ? "expected a function of arithmetic and one exponential"
                   : refuseUnlessFloat(node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        double const perElement = costOf(op.type) == Cost::kArithmetic ? 4e-10 : 1.2e-9;
        return elementsOf(node) * perElement;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {volume(workload.inputs[0], "activation"), op.alpha, op.beta};
        if (costOf(op.type) == Cost::kOther) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'activation_blocks': expected another function than {}. Build the "
                 "plan again.",
                 static_cast<int32_t>(op.type));
        }
        return dispatchFloat(workload.type(), "activation", [&](auto value) {
            return functionOf<decltype(value)>(
                op.type, std::make_index_sequence<nvinfer1::EnumMax<ActivationType>()>{});
        });
    }

private:
    template <typename T, ActivationType kType>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(state.count, grainFor(1), [&](int64_t begin, int64_t end) {
            float input[kBlock];
            float output[kBlock];
            forBlocks(begin, end, [&](int64_t first, int64_t count) {
                float const* x = readBlock(from + first, 1, count, input);
                activateBlock<kType>(x, output, count, state.alpha, state.beta);
                fromFloats(output, to + first, count);
            });
        });
    }

    /// One instance of run() for each member of ActivationType, which count from 0.
    template <typename T, std::size_t... kTypes>
    static target::KernelFunction functionOf(ActivationType type, std::index_sequence<kTypes...>) {
        static constexpr target::KernelFunction kFunctions[] = {
            launchOf<&run<T, static_cast<ActivationType>(kTypes)>>...};
        return kFunctions[static_cast<std::size_t>(type)];
    }
};

struct ActivationReference {
    using Op = graph::Activation;
    struct State {
        int64_t count = 0;
        float alpha = 0.0F;
        float beta = 0.0F;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        bool const integers = op.type == ActivationType::kRELU || op.type == ActivationType::kCLIP;
        return integers ? std::string() : refuseUnlessFloat(node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        return elementsOf(node) * (costOf(op.type) == Cost::kArithmetic ? 2e-9 : 1e-8);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {volume(workload.inputs[0], "activation"), op.alpha, op.beta};
        switch (workload.type()) {
        case DataType::kINT8: return integerFunction<int8_t>(op);
        case DataType::kINT32: return integerFunction<int32_t>(op);
        case DataType::kINT64: return integerFunction<int64_t>(op);
        default: break;
        }
        return dispatchFloat(workload.type(), "activation", [&](auto value) {
            return floatFunction<decltype(value)>(
                op.type, std::make_index_sequence<nvinfer1::EnumMax<ActivationType>()>{});
        });
    }

private:
    template <typename T, ActivationType kType>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(state.count, grainFor(8), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                to[i] = store<T>(activate<kType>(load(from[i]), state.alpha, state.beta));
            }
        });
    }

    /// One instance of run() for each member of ActivationType, which count from 0.
    template <typename T, std::size_t... kTypes>
    static target::KernelFunction floatFunction(ActivationType type,
                                                std::index_sequence<kTypes...>) {
        static constexpr target::KernelFunction kFunctions[] = {
            launchOf<&run<T, static_cast<ActivationType>(kTypes)>>...};
        return kFunctions[static_cast<std::size_t>(type)];
    }

    template <typename T, bool kClips>
    static void runInteger(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        T const low = kClips ? truncateTo<T>(state.alpha) : T{0};
        T const high = kClips ? truncateTo<T>(state.beta) : std::numeric_limits<T>::max();
        parallelFor(state.count, grainFor(1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                to[i] = std::max(low, std::min(high, from[i]));
            }
        });
    }

    template <typename T>
    static target::KernelFunction integerFunction(Op const& op) {
        return op.type == ActivationType::kCLIP ? launchOf<&runInteger<T, true>>
                                                : launchOf<&runInteger<T, false>>;
    }
};

} // namespace

void registerKernel_activation(KernelRegistry& registry) {
    registry.add(entryOf<ActivationBlocks>("activation_blocks"));
    registry.add(entryOf<ActivationReference>("activation_reference"));
}

} // namespace kiln::targets::cpu
