// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "compiler/options.h"
#include "graph/interval.h"
#include "graph/network.h"
#include "plan/document.h"
#include "plugin/plugin_op.h"
#include "target/backend.h"

namespace kiln::compiler {

enum class ValueId : int32_t { kNone = -1 };
enum class StepId : int32_t { kNone = -1 };

/// A step that reads a value, and the operand by which it reads it.
struct Use {
    StepId step = StepId::kNone;
    std::size_t operand = 0;

    bool operator==(Use const&) const = default;
};

/// A tensor while the engine is compiled.
class Value {
public:
    std::string name;
    plan::TensorRole role = plan::TensorRole::kInternal;
    target::OperandType type;
    graph::ShapeExpr shape;
    int32_t inputIndex = -1;
    target::RecipePtr recipe; ///< of constants, in `type`; sources are memory of the user
    /// Of constants in an order of their kernel's own: what is done to the elements.
    std::shared_ptr<plan::Packing const> packing;
    std::string origin;
    graph::ShapeValues values; ///< of host tensors (role kValues)
    /// The value whose memory this one uses, which shares no memory itself; kNone: own memory.
    ValueId sharesWith = ValueId::kNone;
    /// Elements of that memory before the first one of this value; kNoBegin: none.
    graph::ExprRef begin = kNoBegin;
    static constexpr graph::ExprRef kNoBegin = -1;
    bool debug = false;
    bool shapeOutput = false;
    float magnitude = 0.0F; ///< the largest of its elements, for INT8; 0: not known
    bool direct = false;    ///< an input or output that must not be converted; see kDIRECT_IO

    /// kNone for inputs of the network, constants and host values.
    StepId producer() const noexcept { return producer_; }
    /// Once for each operand, in no order.
    std::vector<Use> const& users() const noexcept { return users_; }
    /// Whether only steps see the value: it is no input or output, constant or debug tensor.
    bool isPrivate() const noexcept {
        return role == plan::TensorRole::kInternal && !debug && !shapeOutput;
    }
    /// Stands for an operand that is not there: a constant without extents; see addAbsent().
    bool isAbsent() const noexcept { return shape.rank < 0; }

private:
    friend class Rewriter;

    StepId producer_ = StepId::kNone;
    std::vector<Use> users_;
};

/// A step while the engine is compiled. The step of a plugin has `plugin`.
class Step {
public:
    Step() = default;
    Step(std::vector<ValueId> inputs, std::vector<ValueId> outputs)
        : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

    std::string name;
    std::unique_ptr<graph::Op> op;
    std::unique_ptr<plugin::PluginOp> plugin; ///< the copy that is queried, then the configured one
    int32_t shapeInputs = 0;      ///< of a plugin: number of its last inputs that are shape inputs
    std::vector<int32_t> aliases; ///< of a plugin, by output: input whose memory it uses, or -1
    /// Of a loop, a branch or a requirement: the number of passes, or the condition; -1: input 0.
    graph::ExprRef decider = -1;
    std::string metadata;
    std::optional<DataType> precision; ///< that the user wants the layer to compute in
    std::vector<std::optional<DataType>> outputTypes; ///< the same for outputs; may be shorter
    bool kept = false;   ///< a dequantization that a kernel reads as such: never folded
    bool pinned = false; ///< the declared types are those that it runs in
    /// Patterns that made this step, and the layers that they replaced: "fold_scale: bn1".
    std::vector<std::string> rewrites;

    /// A kernel that is faster in other profiles than the first.
    struct OtherKernel {
        target::KernelRecord record;
        /// Constants that it has in another order than the input, by number of the input.
        std::map<std::size_t, ValueId> constants;
    };

    // Decided by the passes.
    target::KernelRecord kernel;
    std::vector<OtherKernel> otherKernels;
    std::vector<std::size_t> kernelOf; ///< by profile: 0 for `kernel`, n for otherKernels[n - 1]
    std::vector<plugin::PluginRecord> records; ///< of a plugin: without duplicates
    std::vector<std::size_t> recordOf;         ///< by profile: index into `records`
    std::vector<DataType> declared; ///< of a plugin: types of its inputs without shape inputs
    uint64_t workspaceBytes = 0;
    std::vector<uint64_t> profileWorkspaces; ///< by profile; empty: the same in all
    std::vector<std::string> reasons;
    std::vector<plan::CandidateRecord> candidates; ///< with detailed verbosity

    std::vector<ValueId> const& inputs() const noexcept { return inputs_; }
    std::vector<ValueId> const& outputs() const noexcept { return outputs_; }
    bool isPlugin() const noexcept { return plugin != nullptr; }
    /// Whether extents of the outputs may be known only after the step ran.
    bool findsSizes() const noexcept {
        return isPlugin() || (op != nullptr && op->sizeCount() > 0);
    }
    /// The op if it is of this class, else null.
    template <typename Op>
    Op const* as() const {
        return plugin == nullptr ? dynamic_cast<Op const*>(op.get()) : nullptr;
    }

private:
    friend class Program;
    friend class Rewriter;
    friend class StepOrder;

    std::vector<ValueId> inputs_;
    std::vector<ValueId> outputs_;
    StepId before_ = StepId::kNone;
    StepId after_ = StepId::kNone;
    bool erased_ = false;
};

/// Ranges of one profile, by inputIndex. Only inputs whose values are needed have values.
struct Ranges {
    std::vector<InputRange> shapes;
    std::vector<ValueRange> values;
};

class Program;

/// The steps in order of execution. Steps may be inserted and erased while the order is walked.
class StepOrder {
public:
    class Iterator {
    public:
        Iterator(Program const& program, StepId at) : program_(&program), at_(at) {}
        StepId operator*() const noexcept { return at_; }
        Iterator& operator++();
        bool operator==(Iterator const& other) const noexcept { return at_ == other.at_; }

    private:
        Program const* program_;
        StepId at_;
    };

    explicit StepOrder(Program const& program) : program_(program) {}
    Iterator begin() const;
    Iterator end() const { return {program_, StepId::kNone}; }
    std::size_t size() const; ///< walks them

private:
    Program const& program_;
};

/// What the passes work on: values and steps in order of execution. Rewriter edits it.
class Program {
public:
    Program(graph::ExprPool& exprs, target::Backend& target, target::Device* here,
            Options const& given)
        : pool(exprs), backend(target), device(here), options(given) {}

    graph::ExprPool& pool;
    target::Backend& backend;
    target::Device* device; ///< null: the plan is for another machine, and nothing can be timed
    Options const& options;
    std::string name;
    bool stronglyTyped = false;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Ranges united;                ///< over all profiles; opt of the first
    std::vector<Ranges> profiles; ///< of each; without profiles, the fixed shapes
    std::set<std::string, std::less<>> unfusedNames; ///< listeners may see these, if they are left
    std::vector<ValueId> shapeInputs;                ///< the inputs whose values are needed
    std::vector<ValueId> sizeTensors; ///< by number of the size tensor: the value that holds it
    plan::WeightNames weightNames;    ///< for refit: what cannot change grows while passes rewrite
    /// For refit: the weights of the network, which import found.
    std::vector<target::RecipePtr> sources;
    /// Weights that the user marked one by one, by layer and role.
    std::set<std::string, std::less<>> markedWeights;
    /// Constants in another type; see constantAs().
    mutable std::map<std::pair<ValueId, DataType>, target::RecipePtr> converted;

    /// References to values and steps stay valid.
    ValueId addValue(Value value) {
        values_.push_back(std::move(value));
        return static_cast<ValueId>(values_.size() - 1);
    }
    ValueId addAbsent() {
        Value value;
        value.role = plan::TensorRole::kConstant;
        value.type = target::kAbsentType;
        value.shape.rank = -1;
        return addValue(std::move(value));
    }
    Value& value(ValueId id) { return values_[indexOf(id)]; }
    Value const& value(ValueId id) const { return values_[indexOf(id)]; }
    std::deque<Value> const& values() const noexcept { return values_; }
    Step& step(StepId id) { return steps_[indexOf(id)]; }
    Step const& step(StepId id) const { return steps_[indexOf(id)]; }
    StepOrder order() const { return StepOrder(*this); }
    /// The step that produces a value; null for values that no step produces.
    Step const* producerOf(ValueId id) const {
        StepId const producer = value(id).producer();
        return producer == StepId::kNone ? nullptr : &step(producer);
    }
    /// The step behind another one; kNone: none.
    StepId afterOf(StepId id) const { return step(id).after_; }
    bool isErased(StepId id) const { return step(id).erased_; }
    std::size_t stepIdCount() const noexcept { return steps_.size(); } ///< erased ones included

private:
    friend class Rewriter;
    friend class StepOrder;

    std::deque<Value> values_;
    std::deque<Step> steps_; ///< erased steps stay, so that ids remain valid
    StepId first_ = StepId::kNone;
    StepId last_ = StepId::kNone;
};

inline StepOrder::Iterator StepOrder::begin() const {
    return {program_, program_.first_};
}

inline StepOrder::Iterator& StepOrder::Iterator::operator++() {
    do {
        at_ = program_->step(at_).after_;
    } while (at_ != StepId::kNone && program_->step(at_).erased_);
    return *this;
}

inline std::size_t StepOrder::size() const {
    std::size_t count = 0;
    for (Iterator at = begin(); at != end(); ++at) {
        ++count;
    }
    return count;
}

/// Extents of every value over `ranges`.
struct Extents {
    Table<ValueId, Dims> min; ///< bounds of each extent, for all shapes and values in the ranges
    Table<ValueId, Dims> opt; ///< at the optimum
    Table<ValueId, Dims> max;
    Ranges const* ranges = nullptr; ///< owned by the program
};
/// Over all profiles.
Extents extentsOf(Program const& program);
Extents extentsOf(Program const& program, Ranges const& ranges);
/// Of each profile.
std::vector<Extents> extentsByProfile(Program const& program);

/// Bounds of the expressions that the pool has now, over all profiles. The pool must outlive them.
graph::Intervals intervalsOf(Program const& program);

/// Values of all expressions of the pool at one corner of a range. Sizes that plugins compute are
/// 0, their optimum or their upper bound.
enum class ProfileCorner { kMin, kOpt, kMax };
std::vector<int64_t> valuesAt(Program const& program, Ranges const& ranges, ProfileCorner corner);

/// Whether an extent depends on a size that a plugin computes.
bool dependsOnSize(graph::ExprPool const& pool, graph::ShapeExpr const& shape);
/// The same for sizes of which isMeant(number) says so.
bool dependsOnSize(graph::ExprPool const& pool, graph::ShapeExpr const& shape,
                   std::function<bool(int64_t number)> const& isMeant);

/// Describes one operand for the backend.
target::OperandSpec specOf(Program const& program, Extents const& extents, ValueId value);
/// The same for an output of a kernel. Where the kernel finds the extents, it is timed with room
/// for the largest ones.
target::OperandSpec outputSpecOf(Program const& program, Extents const& extents, Step const& step,
                                 ValueId value);

} // namespace kiln::compiler
