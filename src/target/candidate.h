// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"
#include "target/kernel.h"

namespace kiln::target {

class Recipe;

/// One operand of a node that needs a kernel. min, opt and max are equal for static shapes.
struct OperandSpec {
    OperandType type;
    Dims min{};
    Dims opt{};
    Dims max{};
    bool constant = false;
    ByteView data;                                  ///< of constants whose elements are at hand
    std::shared_ptr<Recipe const> recipe = nullptr; ///< of constants: computes their elements
    /// A constant that the host reads: it is in host memory on every target.
    bool host = false;
    /// Extents to allocate memory for when the node is timed; rank -1: those of opt.
    Dims room{-1, {}};

    /// The operand is not there: all extents are kAbsentDims.
    bool isAbsent() const noexcept { return opt.nbDims < 0; }
};

struct NodeSpec {
    graph::Op const& op;
    std::string_view layer;
    std::span<OperandSpec const> inputs;
    std::span<OperandSpec const> outputs;
    /// Products of float32 may round their operands to TF32.
    bool allowTf32 = false;

    /// Whether an input is there.
    bool has(std::size_t input) const { return input < inputs.size() && !inputs[input].isAbsent(); }
};

/// Types and orders of all operands of a node, inputs first.
using Form = std::vector<OperandType>;

/// One kernel that a backend could use for a node, or the reason for its refusal.
struct Candidate {
    std::string kernel;
    std::string refusal;                 ///< empty: offered
    bool missesLibrary = false;          ///< refused only because a library is missing
    std::string library = {};            ///< of an offered one: what it runs on, "oneDNN 3.2.1"
    double estimatedSeconds = 0.0;       ///< cost model at the optimum shapes
    std::function<Bytes()> compile = {}; ///< creates KernelRecord::code; null: none needed

    bool offered() const noexcept { return refusal.empty(); }
};

/// How a kernel writes its output over one of its inputs.
struct Overwriting {
    Bytes code; ///< KernelRecord::code
    uint64_t workspaceBytes = 0;
};

/// Bytes read and written at the optimum shapes: the basis of every cost model.
double bytesMoved(NodeSpec const& node);

} // namespace kiln::target
