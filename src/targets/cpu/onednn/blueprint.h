// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "target/candidate.h"
#include "target/workload/workload.h"
#include "targets/cpu/onednn/fusion.h"
#include "targets/cpu/onednn/tensors.h"

namespace kiln::targets::cpu::onednn {

/// One argument of a primitive: DNNL_ARG_..., and the operand of the kernel that it is.
struct Argument {
    int name = 0;
    std::size_t operand = 0;
    bool output = false;
    MemoryDesc desc;
};

/// A primitive that is described but not created, and its arguments except the scratchpad.
struct Blueprint {
    PrimitiveDesc desc;
    std::vector<Argument> arguments;

    /// The implementation that oneDNN chose, such as "brgconv:avx512_core".
    std::string implementation() const;
    /// Whether it is one of those that are hundreds of times slower.
    bool isReference() const { return implementation().find("ref") != std::string::npos; }
    std::size_t scratchBytes() const;
    /// Owned by `desc`.
    const_dnnl_memory_desc_t scratchpad() const;
    const_dnnl_memory_desc_t weights() const;
};

/// The parts of a primitive that all anchors have in common.
class BlueprintMaker {
public:
    BlueprintMaker(Fusion const& fusion, target::Workload const& workload)
        : fusion_(fusion), workload_(workload) {}

    /// Takes over the first operation after the anchor, so that it becomes no post-op. For a bias.
    void skipFirst() { first_ = 1; }
    /// The first operation, if it adds an operand that may be a bias; else null.
    PostOp const* firstSum() const;
    /// Adds an argument and returns its descriptor.
    const_dnnl_memory_desc_t input(int name, std::size_t operand, MemoryDesc desc);
    const_dnnl_memory_desc_t output(MemoryDesc desc);
    /// Adds the other operands of binary operations. `descOf` makes the descriptor of an operand.
    template <typename DescOf>
    Attributes attributes(DescOf&& descOf) {
        for (std::size_t i = first_; i < fusion_.postOps.size(); ++i) {
            if (fusion_.postOps[i].operand >= 0 && !fusion_.addsOutput(fusion_.postOps[i])) {
                auto const operand = static_cast<std::size_t>(fusion_.postOps[i].operand);
                input(argumentOf(i - first_), operand, descOf(operand));
            }
        }
        return attributesOfInputs();
    }
    /// `create(desc, engine)` calls oneDNN.
    template <typename Create>
    Blueprint finish(Create&& create) {
        blueprint_.desc =
            made<PrimitiveDesc>("describe a kernel", [&](dnnl_primitive_desc_t* desc) {
                return create(desc, Library::instance().engine);
            });
        return std::move(blueprint_);
    }

private:
    static int argumentOf(std::size_t postOp) {
        return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(postOp)) | DNNL_ARG_SRC_1;
    }
    Attributes attributesOfInputs() const;

    Fusion const& fusion_;
    target::Workload const& workload_;
    std::size_t first_ = 0;
    Blueprint blueprint_;
};

/// How oneDNN computes an op and the operations behind it.
class Anchor {
public:
    virtual ~Anchor() = default;

    /// Why the formats do not fit; empty if they do.
    virtual std::string refuse(Fusion const& fusion, target::Workload const& workload) const = 0;
    /// The operand that oneDNN may want in another order.
    virtual std::size_t weightsAt(Fusion const& fusion) const = 0;
    /// Whether weights in another order fit the primitive at these shapes.
    virtual bool takesOrder(Fusion const& fusion, target::Workload const& workload) const = 0;
    /// The weights, from their own extents: with the channels that the source has in memory.
    /// `inputs` are the types of the kernel's inputs.
    virtual Weights weightsOf(Fusion const& fusion, std::span<target::OperandType const> inputs,
                              Dims const& dims) const = 0;
    /// Throws kUnsupported for what oneDNN does not take.
    virtual Blueprint describe(Fusion const& fusion, target::Workload const& workload,
                               Order order) const = 0;
    /// Multiplications and additions.
    virtual double operations(Fusion const& fusion, target::Workload const& workload) const = 0;
};

Anchor const& convolutionAnchor();
Anchor const& matrixAnchor();
/// The one for a fusion without refusal.
Anchor const& anchorOf(Fusion const& fusion);

} // namespace kiln::targets::cpu::onednn
