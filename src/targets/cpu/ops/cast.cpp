// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast: converts each element. Floating point to integer truncates and saturates; integer to a
// narrower integer keeps the low bits; to bool is x != 0; to float16 and bfloat16 rounds to nearest
// even; to narrower types it saturates as well. Supports all pairs of types.
#include "graph/ops/cast.h"

#include "base/bfloat16.h"
#include "base/narrow_numbers.h"
#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/pointwise/kernel.h"
#include "targets/cpu/quantized_elements.h"

namespace kiln::targets::cpu {
namespace {

/// Storage of one bool. A user's buffer may hold any byte; a C++ bool may not.
struct Boolean {
    uint8_t bits;
};

template <typename F>
decltype(auto) dispatchAny(DataType type, F&& f) {
    switch (type) {
    case DataType::kBF16: return f(BFloat16{});
    case DataType::kBOOL: return f(Boolean{});
    case DataType::kFP8: return f(Float8{});
    case DataType::kE8M0: return f(PowerOfTwo8{});
    default: break;
    }
    return dispatchType(type, "cast", [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), bool>) {
            return f(Boolean{}); // handled above
        } else {
            return f(value);
        }
    });
}

/// The value as a float or an integer.
template <typename From>
auto numberOf(From value) noexcept {
    if constexpr (std::is_same_v<From, Boolean>) {
        return static_cast<uint8_t>(value.bits != 0);
    } else {
        return load(value);
    }
}

template <typename To, typename Number>
To convert(Number value) noexcept {
    if constexpr (std::is_same_v<To, Boolean>) {
        return {static_cast<uint8_t>(value != Number{0})};
    } else if constexpr (!std::is_integral_v<To>) {
        return static_cast<To>(static_cast<float>(value));
    } else if constexpr (std::is_integral_v<Number>) {
        return static_cast<To>(value);
    } else {
        return truncateTo<To>(value);
    }
}

struct CastReference {
    using Op = graph::Cast;
    struct State {
        int64_t count = 0;
    };

    static Op inOrder(Op const& op, MemoryOrder, int32_t) { return op; }

    static std::string refuse(Op const& op, NodeSpec const& node) {
        for (DataType const type : {node.inputs[0].type.type, op.toType}) {
            if (bitsOf(type) < 8) {
                return fmt::format("expected elements of whole bytes, got {}", nameOf(type));
            }
        }
        return {};
    }

    static double estimate(Op const&, NodeSpec const& node) {
        return elementsOf(node) * 3e-9; // measured, one element at a time
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.count = volume(workload.inputs[0], "cast");
        return dispatchAny(workload.type(), [&](auto from) {
            return dispatchAny(op.toType, [&](auto to) -> target::KernelFunction {
                return launchOf<&run<decltype(from), decltype(to)>>;
            });
        });
    }

    template <typename From, typename To>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<From const*>(call.inputs[0]);
        auto* to = static_cast<To*>(call.outputs[0]);
        parallelFor(state.count, grainFor(1), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                to[i] = convert<To>(numberOf(from[i]));
            }
        });
    }
};

/// From and to fp8 and types of 4 bits, through float, in vectors.
struct CastNarrow {
    using Op = graph::Cast;
    struct State {
        int64_t count = 0;
        DataType from = DataType::kFLOAT;
        DataType to = DataType::kFLOAT;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        DataType const from = node.inputs[0].type.type;
        auto const isNarrow = [](DataType type) {
            return bitsOf(type) < 8 || type == DataType::kFP8;
        };
        return isNarrow(from) || isNarrow(op.toType)
                   ? std::string()
                   : fmt::format("expected fp8 or elements of 4 bits, got {} and {}", nameOf(from),
                                 nameOf(op.toType));
    }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-9; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {volume(workload.inputs[0], "cast"), workload.type(), op.toType};
        return launchOf<&run>;
    }

    static void run(State const& state, KernelCall const& call) {
        parallelFor((state.count + kBlock - 1) / kBlock, grainFor(2 * kBlock),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t block = begin; block < end; ++block) {
                            float numbers[kBlock];
                            int64_t const first = block * kBlock;
                            int64_t const count = std::min(kBlock, state.count - first);
                            readDense(state.from, call.inputs[0], first, count, numbers);
                            writeDense(state.to, numbers, call.outputs[0], first, count);
                        }
                    });
    }
};

} // namespace

void registerKernel_cast(KernelRegistry& registry) {
    registry.add(entryOf<PointwiseKernel<graph::Cast>>("cast_vector"));
    registry.add(entryOf<CastNarrow>("cast_narrow"));
    registry.add(entryOf<CastReference>("cast_reference"));
}

} // namespace kiln::targets::cpu
