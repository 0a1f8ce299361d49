// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/options.h"
#include "graph/network.h"
#include "plan/document.h"
#include "plugin/plugin_op.h"
#include "target/backend.h"

namespace kiln::compiler {

/// A tensor while the engine is compiled.
struct Value {
    std::string name;
    plan::TensorRole role = plan::TensorRole::kInternal;
    target::OperandType type;
    graph::ShapeExpr shape;
    int32_t inputIndex = -1;
    Bytes data; ///< of constants, in `type`
    std::string origin;
    graph::ShapeValues values; ///< of host tensors (role kValues)
    int32_t sharesWith = -1;   ///< the value whose memory this one uses; see shareMemory()
    bool debug = false;
    bool shapeOutput = false;
    bool direct = false; ///< an input or output that must not be converted; see kDIRECT_IO
};

/// A step while the engine is compiled. The step of a plugin has `plugin`.
struct Step {
    std::string name;
    std::unique_ptr<graph::Op> op;
    std::unique_ptr<plugin::PluginOp> plugin; ///< the copy that is queried, then the configured one
    std::vector<int32_t> inputs;              ///< indices into Program::values
    std::vector<int32_t> outputs;
    int32_t shapeInputs = 0;      ///< of a plugin: number of its last inputs that are shape inputs
    std::vector<int32_t> aliases; ///< of a plugin, by output: input whose memory it uses, or -1
    std::string metadata;

    // Decided by the passes.
    target::KernelRecord kernel;
    std::vector<plugin::PluginRecord> records; ///< of a plugin: without duplicates
    std::vector<int32_t> recordOf;             ///< by profile: index into `records`
    std::vector<DataType> declared; ///< of a plugin: types of its inputs without shape inputs
    uint64_t workspaceBytes = 0;
    std::vector<std::string> reasons;

    bool isPlugin() const noexcept { return plugin != nullptr; }
};

/// Ranges of one profile, by inputIndex. Only inputs whose values are needed have values.
struct Ranges {
    std::vector<InputRange> shapes;
    std::vector<ValueRange> values;
};

/// What the passes work on: values and steps in order of execution.
struct Program {
    Program(graph::ExprPool& exprs, target::Backend& target, target::Device* here,
            Options const& given)
        : pool(exprs), backend(target), device(here), options(given) {}

    graph::ExprPool& pool;
    target::Backend& backend;
    target::Device* device; ///< null: the plan is for another machine, and nothing can be timed
    Options const& options;
    std::string name;
    bool stronglyTyped = false;
    std::vector<Value> values;
    std::vector<Step> steps;
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
    Ranges united;                    ///< over all profiles; opt of the first
    std::vector<Ranges> profiles;     ///< of each; without profiles, the fixed shapes
    std::vector<int32_t> shapeInputs; ///< values of the inputs whose values are needed
    std::vector<int32_t> sizeTensors; ///< by number of the size tensor: the value that holds it

    int32_t addValue(Value value) {
        values.push_back(std::move(value));
        return static_cast<int32_t>(values.size()) - 1;
    }
    Value& value(int32_t index) { return values[static_cast<std::size_t>(index)]; }
    Value const& value(int32_t index) const { return values[static_cast<std::size_t>(index)]; }
};

/// Extents of every value at the smallest, the optimal and the largest inputs of `ranges`.
struct Extents {
    std::vector<Dims> min;
    std::vector<Dims> opt;
    std::vector<Dims> max;
    Ranges const* ranges = nullptr; ///< owned by the program
};
/// Over all profiles.
Extents extentsOf(Program const& program);
Extents extentsOf(Program const& program, Ranges const& ranges);

/// Values of all expressions of the pool at one corner of a range. Sizes that plugins compute are
/// 0, their optimum or their upper bound.
enum class ProfileCorner { kMin, kOpt, kMax };
std::vector<int64_t> valuesAt(Program const& program, Ranges const& ranges, ProfileCorner corner);

/// Whether an extent depends on a size that a plugin computes.
bool dependsOnSize(graph::ExprPool const& pool, graph::ShapeExpr const& shape);

/// Describes one operand for the backend.
target::OperandSpec specOf(Program const& program, Extents const& extents, int32_t value);

} // namespace kiln::compiler
