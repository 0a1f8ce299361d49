// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// double math: arithmetic of float64 on the bits of numbers in int64 tensors. One thread: there are
// few numbers.
#include "graph/ops/double_math.h"

#include <cmath>
#include <limits>

#include "targets/cpu/op_kernel.h"

namespace kiln::targets::cpu {
namespace {

double fromNumber(float x) noexcept {
    return x;
}

int64_t toInteger(double x) noexcept {
    constexpr double kBeyond = 0x1p63;
    return std::isnan(x)   ? 0
           : x >= kBeyond  ? std::numeric_limits<int64_t>::max()
           : x <= -kBeyond ? std::numeric_limits<int64_t>::min()
                           : static_cast<int64_t>(x);
}

/// The larger one, or NaN if one of them is.
double larger(double x, double y) noexcept {
    return std::isnan(x) || x > y ? x : y;
}

struct DoubleMathReference {
    using Op = graph::DoubleMath;
    struct State {
        int64_t count = 0;
        int64_t steps[2] = {};
    };

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.count = volume(workload.outputs[0], "double math");
        for (std::size_t i = 0; i < op.operands(); ++i) {
            int64_t const count = volume(workload.inputs[i], "double math");
            if (count != state.count && count != 1) {
                fail(
                    ErrorKind::kInvalidArgument,
                    "[shape] DoubleMath: expected {} elements or one, got {}. Pass operands of one "
                    "shape.",
                    state.count, count);
            }
            state.steps[i] = count == 1 ? 0 : 1;
        }
        return functionOf(op.operation);
    }

private:
    template <typename From, typename To, auto kFunction>
    static void unary(State const& state, KernelCall const& call) {
        auto const* const x = static_cast<From const*>(call.inputs[0]);
        auto* const to = static_cast<To*>(call.outputs[0]);
        for (int64_t i = 0; i < state.count; ++i) {
            to[i] = kFunction(x[i * state.steps[0]]);
        }
    }

    template <typename To, auto kFunction>
    static void binary(State const& state, KernelCall const& call) {
        auto const* const x = static_cast<double const*>(call.inputs[0]);
        auto const* const y = static_cast<double const*>(call.inputs[1]);
        auto* const to = static_cast<To*>(call.outputs[0]);
        for (int64_t i = 0; i < state.count; ++i) {
            to[i] = kFunction(x[i * state.steps[0]], y[i * state.steps[1]]);
        }
    }

    template <auto kFunction>
    static constexpr target::KernelFunction kSame = launchOf<&unary<double, double, kFunction>>;
    template <auto kFunction>
    static constexpr target::KernelFunction kPair = launchOf<&binary<double, kFunction>>;
    template <auto kFunction>
    static constexpr target::KernelFunction kTest = launchOf<&binary<uint8_t, kFunction>>;

    static target::KernelFunction functionOf(DoubleOperation operation) {
        using D = double;
        switch (operation) {
        case DoubleOperation::kFROM_FLOAT: return launchOf<&unary<float, D, &fromNumber>>;
        case DoubleOperation::kFROM_INTEGER:
            return launchOf<&unary<int64_t, D, [](int64_t x) { return static_cast<D>(x); }>>;
        case DoubleOperation::kTO_FLOAT:
            return launchOf<&unary<D, float, [](D x) { return static_cast<float>(x); }>>;
        case DoubleOperation::kTO_INTEGER: return launchOf<&unary<D, int64_t, &toInteger>>;
        case DoubleOperation::kNEG: return kSame<[](D x) { return -x; }>;
        case DoubleOperation::kABS: return kSame<[](D x) { return std::fabs(x); }>;
        case DoubleOperation::kFLOOR: return kSame<[](D x) { return std::floor(x); }>;
        case DoubleOperation::kCEIL: return kSame<[](D x) { return std::ceil(x); }>;
        case DoubleOperation::kROUND: return kSame<[](D x) { return std::nearbyint(x); }>;
        case DoubleOperation::kSQRT: return kSame<[](D x) { return std::sqrt(x); }>;
        case DoubleOperation::kSUM: return kPair<[](D x, D y) { return x + y; }>;
        case DoubleOperation::kSUB: return kPair<[](D x, D y) { return x - y; }>;
        case DoubleOperation::kPROD: return kPair<[](D x, D y) { return x * y; }>;
        case DoubleOperation::kDIV: return kPair<[](D x, D y) { return x / y; }>;
        case DoubleOperation::kMAX: return kPair<&larger>;
        case DoubleOperation::kMIN: return kPair<[](D x, D y) { return -larger(-x, -y); }>;
        case DoubleOperation::kEQUAL: return kTest<[](D x, D y) { return uint8_t{x == y}; }>;
        case DoubleOperation::kLESS: return kTest<[](D x, D y) { return uint8_t{x < y}; }>;
        default: return kTest<[](D x, D y) { return uint8_t{x <= y}; }>;
        }
    }
};

} // namespace

void registerKernel_double_math(KernelRegistry& registry) {
    registry.add(entryOf<DoubleMathReference>("double_math_reference"));
}

} // namespace kiln::targets::cpu
