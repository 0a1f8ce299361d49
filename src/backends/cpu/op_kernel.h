// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel_registry.h"
#include "backend/nest.h"
#include "backend/problem.h"
#include "graph/op_registry.h"

namespace kiln::backends::cpu {

using backend::broadcastNest;
using backend::ConstantOperand;
using backend::denseStrides;
using backend::elementsOf;
using backend::KernelCall;
using backend::KernelEntry;
using backend::KernelRegistry;
using backend::Nest;
using backend::NodeSpec;
using backend::OperandType;
using backend::Problem;
using backend::refuseUnlessFloat;

/// Makes a KernelFunction from body(State const&, KernelCall const&), which always succeeds, or
/// from int32_t body(State&, KernelCall const&), which returns 0 or an error; Impl::failureText
/// then says why.
template <auto kBody>
struct LaunchOf;

template <typename State, void (*kBody)(State const&, KernelCall const&)>
struct LaunchOf<kBody> {
    static int32_t run(void* state, KernelCall const& call, backend::StreamHandle stream) noexcept {
        static_cast<void>(stream); // the work is done on return
        kBody(*static_cast<State const*>(state), call);
        return 0;
    }
};

template <typename State, int32_t (*kBody)(State&, KernelCall const&)>
struct LaunchOf<kBody> {
    static int32_t run(void* state, KernelCall const& call, backend::StreamHandle stream) noexcept {
        static_cast<void>(stream);
        return kBody(*static_cast<State*>(state), call);
    }
};

template <auto kBody>
constexpr backend::KernelFunction launchOf = &LaunchOf<kBody>::run;

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

/// A kernel of this target, defined by `Impl`:
///
///   using Op = graph::SoftMax;
///   struct State {...};   // all data that a launch reads, except the operands
///   static std::string refuse(Op const&, NodeSpec const&);                       // optional
///   static double estimate(Op const&, NodeSpec const&);                          // optional
///   static backend::KernelFunction prepare(Op const&, Problem const&, State&);   // per shape
///   static std::size_t workspaceBytes(Op const&, Problem const&);                // optional
///   static std::string failureText(State const&);       // optional: for launches that can fail
///
/// Operands are linear unless Impl has `static constexpr bool kAnyFormat = true`.
/// A kernel that repacks constants at load has `struct Packed`, `static Packed pack(Op const&,
/// record, constants)`, and prepare() takes the Packed const& as its last argument.
template <typename Impl>
class OpKernel final : public backend::Kernel {
    using Op = typename Impl::Op;
    using Packed = typename PackedOf<Impl>::type;
    static constexpr bool kPacks = requires { typename Impl::Packed; };

public:
    OpKernel(backend::KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(graph::OpRegistry::instance().load(Op::kKind, record.parameters)),
          inputs_(record.inputs), outputs_(record.outputs) {
        if constexpr (kPacks) {
            packed_ = Impl::pack(op(), record, constants);
        }
    }

    std::unique_ptr<backend::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }

private:
    class Instance final : public backend::KernelInstance {
    public:
        explicit Instance(OpKernel const& kernel) : kernel_(kernel) {}

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Problem const problem = kernel_.problem(inputs, outputs);
            if constexpr (!requires { Impl::kAnyFormat; }) {
                backend::checkLinear(kernel_.op(), problem);
            }
            backend::checkProblem(kernel_.op(), problem);
            if constexpr (kPacks) {
                run_ = Impl::prepare(kernel_.op(), problem, state_, kernel_.packed_);
            } else {
                run_ = Impl::prepare(kernel_.op(), problem, state_);
            }
        }

        backend::Launch launch() override { return {run_, &state_}; }

        std::size_t workspaceBytes(std::span<Dims const> inputs,
                                   std::span<Dims const> outputs) const override {
            if constexpr (requires { &Impl::workspaceBytes; }) {
                return Impl::workspaceBytes(kernel_.op(), kernel_.problem(inputs, outputs));
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
        backend::KernelFunction run_ = nullptr;
    };

    Op const& op() const { return static_cast<Op const&>(*op_); }
    Problem problem(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
        return {inputs_, outputs_, inputs, outputs};
    }

    std::unique_ptr<graph::Op> op_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    [[no_unique_address]] Packed packed_{};
};

/// The registry entry of OpKernel<Impl>.
template <typename Impl>
KernelEntry entryOf(std::string_view name) {
    using Op = typename Impl::Op;
    KernelEntry entry;
    entry.op = Op::kKind;
    entry.name = name;
    entry.refuse = [](NodeSpec const& node) {
        std::string reason;
        if constexpr (!requires { Impl::kAnyFormat; }) {
            reason = backend::refuseFormats(node);
        }
        if constexpr (requires { &Impl::refuse; }) {
            if (reason.empty()) {
                reason = Impl::refuse(static_cast<Op const&>(node.op), node);
            }
        }
        return reason;
    };
    if constexpr (requires { &Impl::estimate; }) {
        entry.estimate = [](NodeSpec const& node) {
            return Impl::estimate(static_cast<Op const&>(node.op), node);
        };
    }
    entry.load =
        [](backend::KernelRecord const& record,
           std::span<ConstantOperand const> constants) -> std::unique_ptr<backend::Kernel> {
        return std::make_unique<OpKernel<Impl>>(record, constants);
    };
    return entry;
}

} // namespace kiln::backends::cpu
