// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element. float32, float16 and bfloat16, computed in float32; ReLU
// and clip also support int8, int32 and int64. NaN stays NaN. The fast kernel runs vectors of
// float32 tile by tile.
#include "graph/ops/activation.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/pointwise/kernel.h"

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

struct ActivationReference {
    using Op = graph::Activation;
    struct State {
        int64_t count = 0;
        float alpha = 0.0F;
        float beta = 0.0F;
    };

    static Op inOrder(Op const& op, MemoryOrder, int32_t) { return op; }

    static std::string refuse(Op const& op, NodeSpec const& node) {
        bool const integers = op.type == ActivationType::kRELU || op.type == ActivationType::kCLIP;
        return integers ? std::string() : refuseUnlessFloat(node);
    }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-8; }

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
    registry.add(entryOf<PointwiseKernel<graph::Activation>>("activation_vector"));
    registry.add(entryOf<ActivationReference>("activation_reference"));
}

} // namespace kiln::targets::cpu
