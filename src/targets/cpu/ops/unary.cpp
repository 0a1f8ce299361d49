// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// unary: a function of each element. float32, float16 and bfloat16, computed in float32. Absolute
// value, negation and sign also support int8, int32 and int64, with wraparound; logical not takes
// bool. Rounding takes ties to even. The fast kernel runs vectors of float32 tile by tile.
#include "graph/ops/unary.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"
#include "targets/cpu/pointwise/kernel.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::UnaryOperation;

template <UnaryOperation kOperation>
float compute(float x) {
    switch (kOperation) {
    case UnaryOperation::kEXP: return std::exp(x);
    case UnaryOperation::kLOG: return std::log(x);
    case UnaryOperation::kSQRT: return std::sqrt(x);
    case UnaryOperation::kRECIP: return 1.0F / x;
    case UnaryOperation::kABS: return std::abs(x);
    case UnaryOperation::kNEG: return -x;
    case UnaryOperation::kSIN: return std::sin(x);
    case UnaryOperation::kCOS: return std::cos(x);
    case UnaryOperation::kTAN: return std::tan(x);
    case UnaryOperation::kSINH: return std::sinh(x);
    case UnaryOperation::kCOSH: return std::cosh(x);
    case UnaryOperation::kASIN: return std::asin(x);
    case UnaryOperation::kACOS: return std::acos(x);
    case UnaryOperation::kATAN: return std::atan(x);
    case UnaryOperation::kASINH: return std::asinh(x);
    case UnaryOperation::kACOSH: return std::acosh(x);
    case UnaryOperation::kATANH: return std::atanh(x);
    case UnaryOperation::kCEIL: return std::ceil(x);
    case UnaryOperation::kFLOOR: return std::floor(x);
    case UnaryOperation::kERF: return std::erf(x);
    case UnaryOperation::kSIGN: return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : x; // NaN stays
    case UnaryOperation::kROUND: return std::nearbyint(x);
    case UnaryOperation::kISINF: return std::isinf(x) ? 1.0F : 0.0F;
    case UnaryOperation::kISNAN: return std::isnan(x) ? 1.0F : 0.0F;
    case UnaryOperation::kNOT: break; // for bool only
    }
    return x;
}

template <typename T>
T computeInteger(UnaryOperation operation, T x) {
    switch (operation) {
    case UnaryOperation::kSIGN: return static_cast<T>(x > 0 ? 1 : x < 0 ? -1 : 0);
    case UnaryOperation::kABS: return x < 0 ? Difference::of(T{0}, x) : x;
    default: return Difference::of(T{0}, x);
    }
}

struct UnaryReference {
    using Op = graph::Unary;
    struct State {
        int64_t count = 0;
        UnaryOperation operation = UnaryOperation::kEXP;
    };

    static Op inOrder(Op const& op, MemoryOrder, int32_t) { return op; }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-8; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {volume(workload.inputs[0], "unary"), op.operation};
        switch (workload.type()) {
        case DataType::kBOOL: return launchOf<&invert>;
        case DataType::kINT8: return launchOf<&runInteger<int8_t>>;
        case DataType::kINT32: return launchOf<&runInteger<int32_t>>;
        case DataType::kINT64: return launchOf<&runInteger<int64_t>>;
        default: break;
        }
        return dispatchFloat(workload.type(), "unary", [&](auto value) {
            using T = decltype(value);
            return op.operation == UnaryOperation::kISINF   ? ask<T, UnaryOperation::kISINF>()
                   : op.operation == UnaryOperation::kISNAN ? ask<T, UnaryOperation::kISNAN>()
                                                            : functionOf<T>(op.operation, kAll);
        });
    }

private:
    static constexpr auto kAll = std::make_index_sequence<nvinfer1::EnumMax<UnaryOperation>()>{};

    /// to[i] = f(from[i])
    template <typename T, typename Result, typename F>
    static void forEach(State const& state, KernelCall const& call, F&& f) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<Result*>(call.outputs[0]);
        parallelFor(state.count, grainFor(8), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                to[i] = f(from[i]);
            }
        });
    }

    template <typename T, UnaryOperation kOperation>
    static void run(State const& state, KernelCall const& call) {
        forEach<T, T>(state, call, [](T x) { return store<T>(compute<kOperation>(load(x))); });
    }

    template <typename T, UnaryOperation kOperation>
    static void answer(State const& state, KernelCall const& call) {
        forEach<T, uint8_t>(state, call, [](T x) {
            return static_cast<uint8_t>(compute<kOperation>(load(x)) != 0.0F);
        });
    }

    template <typename T, UnaryOperation kOperation>
    static target::KernelFunction ask() {
        return launchOf<&answer<T, kOperation>>;
    }

    /// One instance of run() for each member of UnaryOperation, which count from 0.
    template <typename T, std::size_t... kOperations>
    static target::KernelFunction functionOf(UnaryOperation operation,
                                             std::index_sequence<kOperations...>) {
        static constexpr target::KernelFunction kFunctions[] = {
            launchOf<&run<T, static_cast<UnaryOperation>(kOperations)>>...};
        return kFunctions[static_cast<std::size_t>(operation)];
    }

    template <typename T>
    static void runInteger(State const& state, KernelCall const& call) {
        forEach<T, T>(state, call, [&](T x) { return computeInteger(state.operation, x); });
    }

    static void invert(State const& state, KernelCall const& call) {
        forEach<uint8_t, uint8_t>(state, call,
                                  [](uint8_t x) { return static_cast<uint8_t>(x == 0); });
    }
};

} // namespace

void registerKernel_unary(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Unary>>("unary_vector"));
    registry.add(entryOf<UnaryReference>("unary_reference"));
}

} // namespace kiln::targets::cpu
