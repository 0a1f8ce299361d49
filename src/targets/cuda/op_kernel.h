// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "graph/op_registry.h"
#include "target/kernel_registry.h"
#include "target/workload/workload.h"
#include "targets/cuda/dense_order.h"
#include "targets/cuda/fault_word.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {

using target::ConstantOperand;
using target::elementsOf;
using target::KernelCall;
using target::KernelEntry;
using target::KernelRegistry;
using target::NodeSpec;
using target::OperandType;
using target::refuseUnlessFloat;
using target::Workload;

/// A kernel of this target whose code is one of kernels/*.cuh, defined by `Impl`:
///
///   using Op = graph::SoftMax;
///   struct Arguments {...};    // trivially copyable: what a launch reads, except the operands
///   static std::string refuse(Op const&, NodeSpec const&);                        // optional
///   static double estimate(Op const&, NodeSpec const&);                           // optional
///   static SourceText source(Op const&, NodeSpec const&);         // compiled at build time
///   static std::vector<GridLaunch> prepare(Op const&, Workload const&, Arguments&);  // per shape
///   static std::size_t workspaceBytes(Op const&, Workload const&);                 // optional
///   static std::string faultText(Op const&, Workload const&, int64_t fault);       // optional
///
/// The source may depend on the op, types, formats and ranks, never on extents, so prepare() knows
/// what was compiled. A __global__ function of the source takes, in this order, all inputs, all
/// outputs, the workspace (void*, if Impl has workspaceBytes), the fault word (int64_t*, if Impl
/// has faultText), a word that counts runs (int64_t*, if Impl has `static constexpr bool
/// kCountsRuns = true`) and Arguments by value. prepare() returns the launches in order; all share
/// the operands and the arguments. Launches with an empty grid are skipped.
///
/// A kernel never reads or writes outside its operands, whatever their values: it writes a nonzero
/// number to the fault word instead, which is reported after the run.
///
/// Operands are linear unless Impl has `static constexpr bool kAnyFormat = true`, or `kDenseOrder`:
/// then all share a dense format, such as kHWC, and prepare() gets their extents in the order of
/// memory. With `static constexpr bool kInputArray = true` the function takes all inputs as one
/// parameter that it can index: a struct { void const* at[<number of inputs>]; } by value.
template <typename Impl>
class OpKernel final : public target::Kernel {
    using Op = typename Impl::Op;
    using Arguments = typename Impl::Arguments;
    static constexpr bool kFaults = requires { &Impl::faultText; };
    static constexpr bool kWorks = requires { &Impl::workspaceBytes; };
    static constexpr bool kCounts = requires { Impl::kCountsRuns; };
    static constexpr bool kInputArray = requires { Impl::kInputArray; };
    static constexpr bool kDenseOrder = requires { Impl::kDenseOrder; };

public:
    explicit OpKernel(target::KernelRecord const& record)
        : op_(graph::OpRegistry::instance().load(Op::kKind, record.parameters)),
          inputs_(record.inputs), outputs_(record.outputs), code_(record.code) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }

private:
    class Instance final : public target::KernelInstance {
    public:
        explicit Instance(OpKernel const& kernel) : kernel_(kernel) {
            if constexpr (kFaults) {
                fault_.emplace();
            }
            if constexpr (kCounts) {
                runs_.emplace();
            }
        }

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Workload const workload = kernel_.workload(inputs, outputs);
            if constexpr (kDenseOrder) {
                checkOneOrder(kernel_.op().kind(), workload.inputTypes, workload.outputTypes);
            } else if constexpr (!requires { Impl::kAnyFormat; }) {
                target::checkLinear(kernel_.op(), workload);
            }
            target::checkWorkload(kernel_.op(), workload);
            if constexpr (kFaults) {
                if (fault_->value() == 0) { // else they describe the unreported fault
                    shapes_[0].assign(inputs.begin(), inputs.end());
                    shapes_[1].assign(outputs.begin(), outputs.end());
                }
            }
            arguments_ = {};
            launch_.set(kernel_.code_, prepared(workload));
            // A KernelCall holds the inputs' pointers in one array.
            launch_.describe({kInputArray ? 1 : inputs.size(), outputs.size(), kWorks,
                              kFaults ? fault_->address() : nullptr, &arguments_,
                              kCounts ? runs_->address() : nullptr});
        }

        target::Launch launch() override { return {&KernelLaunch::run, &launch_}; }

        std::size_t workspaceBytes(std::span<Dims const> inputs,
                                   std::span<Dims const> outputs) const override {
            if constexpr (kWorks) {
                return Impl::workspaceBytes(kernel_.op(), kernel_.workload(inputs, outputs));
            } else {
                return KernelInstance::workspaceBytes(inputs, outputs);
            }
        }

        bool faulted() const noexcept override { return kFaults && fault_->value() != 0; }

        std::string failureText() const override {
            if constexpr (kFaults) {
                if (int64_t const fault = fault_->take(); fault != 0) {
                    return Impl::faultText(kernel_.op(), kernel_.workload(shapes_[0], shapes_[1]),
                                           fault);
                }
            }
            return launch_.failureText();
        }

    private:
        std::vector<GridLaunch> prepared(Workload const& workload) {
            if constexpr (!kDenseOrder) {
                return Impl::prepare(kernel_.op(), workload, arguments_);
            }
            std::vector<Dims> ordered[2];
            for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
                ordered[0].push_back(
                    inMemoryOrder(workload.inputs[i], workload.inputTypes[i].format));
            }
            for (std::size_t i = 0; i < workload.outputs.size(); ++i) {
                ordered[1].push_back(
                    inMemoryOrder(workload.outputs[i], workload.outputTypes[i].format));
            }
            return Impl::prepare(
                kernel_.op(), {workload.inputTypes, workload.outputTypes, ordered[0], ordered[1]},
                arguments_);
        }

        OpKernel const& kernel_;
        Arguments arguments_{};
        KernelLaunch launch_;
        std::optional<FaultWord> fault_;
        std::optional<FaultWord> runs_; ///< written by the kernel alone, from 0 on
        std::vector<Dims> shapes_[2];   ///< for kernels that may fault: inputs, outputs
    };

    Op const& op() const { return static_cast<Op const&>(*op_); }
    Workload workload(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
        return {inputs_, outputs_, inputs, outputs};
    }

    std::unique_ptr<graph::Op> op_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    LoadedCode code_;
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
        if constexpr (requires { Impl::kDenseOrder; }) {
            reason = refuseMixedOrders(node);
        } else if constexpr (!requires { Impl::kAnyFormat; }) {
            reason = target::refuseFormats(node);
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
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return compileFor(Impl::source(static_cast<Op const&>(node.op), node), architectures);
    };
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<OpKernel<Impl>>(record);
    };
    return entry;
}

} // namespace kiln::targets::cuda
