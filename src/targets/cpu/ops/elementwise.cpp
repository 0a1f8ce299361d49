// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// elementwise: combines two tensors with broadcasting. Numbers: float32, float16 and bfloat16
// (computed in float32), int8, int32, int64; booleans: and, or, xor, equal. Integer arithmetic
// wraps around; integer division by 0 gives 0. The result is written in order, the inputs are read
// with strides. The fast kernel first converts blocks of a row to float32; its threads share the
// blocks, those of the reference the rows.
#include "graph/ops/elementwise.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/elementwise_functions.h"
#include "targets/cpu/pointwise/kernel.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::ElementWiseOperation;

/// Element types with a kernel here, besides float32 and float16.
bool isWholeOrBool(DataType type) {
    return type == DataType::kINT8 || type == DataType::kINT32 || type == DataType::kINT64 ||
           type == DataType::kBOOL;
}

Nest<2> nestOf(Dims const& left, Dims const& right, Dims const& result) {
    return broadcastNest<2>(result, {left, right}, result.nbDims);
}

struct ElementWiseReference {
    using Op = graph::ElementWise;
    struct State {
        Nest<2> nest;
    };

    static Op inOrder(Op const& op, MemoryOrder, int32_t) { return op; }

    static std::string refuse(Op const&, NodeSpec const& node) {
        return isWholeOrBool(node.inputs[0].type.type) ? std::string() : refuseUnlessFloat(node);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.nest = nestOf(workload.inputs[0], workload.inputs[1], workload.outputs[0]);
        switch (workload.type()) {
        case DataType::kBOOL: return booleanFunction(op.operation);
        case DataType::kINT8: return numberFunction<int8_t>(op.operation);
        case DataType::kINT32: return numberFunction<int32_t>(op.operation);
        case DataType::kINT64: return numberFunction<int64_t>(op.operation);
        default: break;
        }
        return dispatchFloat(workload.type(), "elementwise", [&](auto value) {
            return numberFunction<decltype(value)>(op.operation);
        });
    }

private:
    template <typename T, typename Function>
    static void run(State const& state, KernelCall const& call) {
        using Result = typename Function::template Result<T>;
        Nest<2> const& nest = state.nest;
        auto const* left = static_cast<T const*>(call.inputs[0]);
        auto const* right = static_cast<T const*>(call.inputs[1]);
        auto* to = static_cast<Result*>(call.outputs[0]);
        forRowPieces(nest, 1, [&](int64_t row, int64_t first, int64_t count) {
            auto const [a, b] = nest.atRow(row);
            int64_t const stepA = nest.innerStride(0);
            int64_t const stepB = nest.innerStride(1);
            T const* const x = left + a + first * stepA;
            T const* const y = right + b + first * stepB;
            Result* const result = to + row * nest.inner() + first;
            if (stepA == 1 && stepB == 1) { // steps that the compiler knows make vectors
                combine<Function>(x, 1, y, 1, result, count);
            } else if (stepA == 1 && stepB == 0) {
                combine<Function>(x, 1, y, 0, result, count);
            } else if (stepA == 0 && stepB == 1) {
                combine<Function>(x, 0, y, 1, result, count);
            } else {
                combine<Function>(x, stepA, y, stepB, result, count);
            }
        });
    }

    template <typename Function, typename T, typename Result>
    [[gnu::always_inline]] static inline void combine(T const* x, int64_t stepX, T const* y,
                                                      int64_t stepY, Result* to, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<Result>(Function::of(load(x[i * stepX]), load(y[i * stepY])));
        }
    }

    template <typename T>
    static target::KernelFunction numberFunction(ElementWiseOperation operation) {
        switch (operation) {
        case ElementWiseOperation::kSUM: return launchOf<&run<T, Sum>>;
        case ElementWiseOperation::kPROD: return launchOf<&run<T, Product>>;
        case ElementWiseOperation::kMAX: return launchOf<&run<T, Maximum>>;
        case ElementWiseOperation::kMIN: return launchOf<&run<T, Minimum>>;
        case ElementWiseOperation::kSUB: return launchOf<&run<T, Difference>>;
        case ElementWiseOperation::kDIV: return launchOf<&run<T, Quotient>>;
        case ElementWiseOperation::kPOW: return launchOf<&run<T, Power>>;
        case ElementWiseOperation::kFLOOR_DIV: return launchOf<&run<T, FloorQuotient>>;
        case ElementWiseOperation::kEQUAL: return launchOf<&run<T, Equal>>;
        case ElementWiseOperation::kGREATER: return launchOf<&run<T, Greater>>;
        case ElementWiseOperation::kLESS: return launchOf<&run<T, Less>>;
        default: break;
        }
        fail(ErrorKind::kUnsupported,
             "[elementwise] operation {} is not for numbers. Cast them to bool first.",
             static_cast<int32_t>(operation));
    }

    static target::KernelFunction booleanFunction(ElementWiseOperation operation) {
        switch (operation) {
        case ElementWiseOperation::kAND: return launchOf<&run<uint8_t, And>>;
        case ElementWiseOperation::kOR: return launchOf<&run<uint8_t, Or>>;
        case ElementWiseOperation::kXOR: return launchOf<&run<uint8_t, Xor>>;
        case ElementWiseOperation::kEQUAL: return launchOf<&run<uint8_t, EqualTruth>>;
        default: break;
        }
        fail(ErrorKind::kUnsupported,
             "[elementwise] operation {} is not for bool. Cast the inputs first.",
             static_cast<int32_t>(operation));
    }
};

} // namespace

void registerKernel_elementwise(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::ElementWise>>("elementwise_vector"));
    registry.add(entryOf<ElementWiseReference>("elementwise_reference"));
}

} // namespace kiln::targets::cpu
