// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <string>

#include "targets/cpu/onednn/own_weights.h"
#include "targets/cpu/onednn/prepared.h"
#include "targets/cpu/onednn/recipe.h"

namespace kiln::targets::cpu::onednn {

/// What the instances of a kernel share; owned by the kernel.
struct KernelParts {
    graph::Op const& op;
    Fusion const& fusion;
    Recipe const& recipe;
    std::vector<target::OperandType> const& inputs;
    std::vector<target::OperandType> const& outputs;
    ByteView weights; ///< if constant, in the order of the recipe; else empty
    ByteView scale;   ///< of weights that are widened; else empty
    OwnWeights& own;
};

/// Why oneDNN cannot take these shapes; empty if it can.
std::string shapeProblem(graph::Op const& op, Fusion const& fusion,
                         target::Workload const& workload);
/// Why the numbers of a convolution's window are too large; empty if they are not.
std::string windowProblem(Fusion const& fusion);

/// Creates a primitive for each shape and number of threads, and keeps those of the last few.
class Instance final : public target::KernelInstance {
public:
    explicit Instance(KernelParts const& parts) : parts_(parts) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override;
    target::Launch launch() override { return {&run, this}; }
    std::size_t workspaceBytes(std::span<Dims const>, std::span<Dims const>) const override {
        return parts_.recipe.workspaceBytes();
    }
    std::string failureText() const override;

private:
    struct Entry {
        std::vector<Dims> inputs;
        Prepared prepared;
    };

    target::KernelCall withScaledWeights(target::KernelCall const& call);
    static int32_t run(void* state, target::KernelCall const& call, target::StreamHandle) noexcept;
    dnnl_status_t runCurrent(target::KernelCall const& call);
    dnnl_status_t runPrimitive(target::KernelCall const& call);
    Prepared& prepared(int32_t threads);
    std::shared_ptr<Bytes const> ownWeights(Blueprint const& blueprint, Anchor const& anchor,
                                            target::Workload const& workload) const;
    void checkWeights(Anchor const& anchor, target::Workload const& workload) const;
    Prepared made(int32_t threads) const;

    KernelParts parts_;
    std::vector<Dims> inputs_;
    std::vector<Dims> outputs_;
    std::list<Entry> known_; ///< most recently used first
    Prepared* current_ = nullptr;
    std::size_t outputBytes_ = 0;
    std::vector<void const*> operands_; ///< inputs of a call with scaled weights
    bool empty_ = false;
    dnnl_status_t failure_ = dnnl_success;
};

} // namespace kiln::targets::cpu::onednn
