// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/op_registry.h"
#include "target/kernel_registry.h"
#include "target/nest.h"
#include "target/workload/workload.h"
#include "targets/cpu/memory_order.h"

namespace kiln::targets::cpu {

using target::broadcastNest;
using target::ConstantOperand;
using target::denseStrides;
using target::elementsOf;
using target::KernelCall;
using target::KernelEntry;
using target::KernelRegistry;
using target::Nest;
using target::NodeSpec;
using target::OperandType;
using target::refuseUnlessFloat;
using target::Workload;

/// Makes a KernelFunction from body(State const&, KernelCall const&), which always succeeds, or
/// from int32_t body(State&, KernelCall const&), which returns 0 or an error; Impl::failureText
/// then says why.
template <auto kBody>
struct LaunchOf;

template <typename State, void (*kBody)(State const&, KernelCall const&)>
struct LaunchOf<kBody> {
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        static_cast<void>(stream); // the work is done on return
        kBody(*static_cast<State const*>(state), call);
        return 0;
    }
};

template <typename State, int32_t (*kBody)(State&, KernelCall const&)>
struct LaunchOf<kBody> {
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        static_cast<void>(stream);
        return kBody(*static_cast<State*>(state), call);
    }
};

template <auto kBody>
constexpr target::KernelFunction launchOf = &LaunchOf<kBody>::run;

/// The constants that a kernel repacks at load; empty for other kernels.
template <typename Impl>
struct PackedOf {
    struct type {};
};

template <typename Impl>
    requires requires { typename Impl::Packed; }
struct PackedOf<Impl> {
    using type = typename Impl::Packed;
};

template <typename Impl>
constexpr bool kTakesAnyFormat = requires { Impl::kAnyFormat; };
template <typename Impl>
constexpr bool kTakesOrders = requires { &Impl::inOrder; };

/// A kernel of this target, defined by `Impl`:
///
///   using Op = graph::SoftMax;
///   struct State {...};   // all data that a launch reads, except the operands
///   static std::string refuse(Op const&, NodeSpec const&);                       // optional
///   static double estimate(Op const&, NodeSpec const&);                          // optional
///   static target::KernelFunction prepare(Op const&, Workload const&, State&);   // per shape
///   static std::size_t workspaceBytes(Op const&, Workload const&);                // optional
///   static std::string failureText(State const&);       // optional: for launches that can fail
///
/// Operands are linear unless Impl has one of
///
///   static constexpr bool kAnyFormat = true;
///   // Takes operands that are all linear or all dense with channels last. Impl sees their extents
///   // in memory order, as linear, and the op as if its axes were in that order.
///   static Op inOrder(Op const&, MemoryOrder order, int32_t rank);
///
/// A kernel that repacks constants at load has `struct Packed`, `static Packed pack(Op const&,
/// record, constants)`, and prepare() takes the Packed const& as its last argument.
template <typename Impl>
class OpKernel final : public target::Kernel {
    using Op = typename Impl::Op;
    using Packed = typename PackedOf<Impl>::type;
    static constexpr bool kPacks = requires { typename Impl::Packed; };

public:
    OpKernel(target::KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(graph::OpRegistry::instance().load(Op::kKind, record.parameters)),
          inputs_(record.inputs), outputs_(record.outputs) {
        if constexpr (kPacks) {
            packed_ = Impl::pack(op(), record, constants);
        }
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }

private:
    class Instance final : public target::KernelInstance {
    public:
        explicit Instance(OpKernel const& kernel) : kernel_(kernel) {}

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Workload const workload = kernel_.workload(inputs, outputs);
            if constexpr (!kTakesAnyFormat<Impl> && !kTakesOrders<Impl>) {
                target::checkLinear(kernel_.op(), workload);
            }
            target::checkWorkload(kernel_.op(), workload);
            if constexpr (kPacks) {
                run_ = Impl::prepare(kernel_.op(), workload, state_, kernel_.packed_);
            } else if constexpr (kTakesOrders<Impl>) {
                ArrangedWorkload const arranged(kernel_.op(), workload);
                Op const op = Impl::inOrder(kernel_.op(), arranged.order(), arranged.rank());
                run_ = Impl::prepare(op, arranged.workload(), state_);
            } else {
                run_ = Impl::prepare(kernel_.op(), workload, state_);
            }
        }

        target::Launch launch() override { return {run_, &state_}; }

        std::size_t workspaceBytes(std::span<Dims const> inputs,
                                   std::span<Dims const> outputs) const override {
            if constexpr (requires { &Impl::workspaceBytes; }) {
                return Impl::workspaceBytes(kernel_.op(), kernel_.workload(inputs, outputs));
            } else {
                return KernelInstance::workspaceBytes(inputs, outputs);
            }
        }

        std::string failureText() const override {
            if constexpr (requires { &Impl::failureText; }) {
                return Impl::failureText(state_);
            } else {
                return KernelInstance::failureText();
            }
        }

    private:
        OpKernel const& kernel_;
        typename Impl::State state_{};
        target::KernelFunction run_ = nullptr;
    };

    Op const& op() const { return static_cast<Op const&>(*op_); }
    Workload workload(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
        return {inputs_, outputs_, inputs, outputs};
    }

    std::unique_ptr<graph::Op> op_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    [[no_unique_address]] Packed packed_{};
};

/// Calls visit(op, node) with the node's extents and the op's axes in memory order, if Impl takes
/// orders; else with the node as it is.
template <typename Impl, typename Visit>
void onArranged(NodeSpec const& node, Visit&& visit) {
    auto const& op = static_cast<typename Impl::Op const&>(node.op);
    if constexpr (kTakesOrders<Impl>) {
        ArrangedNode const arranged(node);
        auto const inOrder = Impl::inOrder(op, arranged.order(), arranged.rank());
        visit(inOrder, arranged.node(inOrder));
    } else {
        visit(op, node);
    }
}

/// The registry entry of OpKernel<Impl>.
template <typename Impl>
KernelEntry entryOf(std::string_view name) {
    using Op = typename Impl::Op;
    KernelEntry entry;
    entry.op = Op::kKind;
    entry.name = name;
    entry.refuse = [](NodeSpec const& node) {
        std::string reason;
        if constexpr (kTakesOrders<Impl>) {
            reason = commonOrder(node) ? std::string() : orderRefusal(node);
        } else if constexpr (!kTakesAnyFormat<Impl>) {
            reason = target::refuseFormats(node);
        }
        if constexpr (requires { &Impl::refuse; }) {
            if (reason.empty()) {
                onArranged<Impl>(node, [&](Op const& op, NodeSpec const& spec) {
                    reason = Impl::refuse(op, spec);
                });
            }
        }
        return reason;
    };
    if constexpr (requires { &Impl::estimate; }) {
        entry.estimate = [](NodeSpec const& node) {
            double seconds = 0.0;
            onArranged<Impl>(node, [&](Op const& op, NodeSpec const& spec) {
                seconds = Impl::estimate(op, spec);
            });
            return seconds;
        };
    }
    entry.ownLayouts = requires { Impl::kOwnLayouts; };
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<OpKernel<Impl>>(record, constants);
    };
    return entry;
}

} // namespace kiln::targets::cpu
