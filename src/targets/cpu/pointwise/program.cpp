// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pointwise/program.h"

#include <algorithm>

#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/quantize.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/unary.h"
#include "target/nest.h"
#include "targets/cpu/pointwise/phases.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::ReduceOperation;

// The tables of functions follow these enums.
static_assert(static_cast<int>(nvinfer1::ActivationType::kGELU_TANH) ==
              static_cast<int>(MapFunction::kGeluTanh));
static_assert(static_cast<int>(nvinfer1::UnaryOperation::kISNAN) +
                  static_cast<int>(MapFunction::kExp) ==
              static_cast<int>(MapFunction::kIsNan));
static_assert(static_cast<int>(nvinfer1::ElementWiseOperation::kLESS) ==
              static_cast<int>(CombineFunction::kLess));

// Shorter rows are joined to one: a tile then holds several of them.
constexpr int64_t kShortestRow = 128;

/// Builds the sources and the actions in the order of the chain.
class ProgramBuilder {
public:
    explicit ProgramBuilder(Chain const& chain)
        : chain_(chain), count_(static_cast<int32_t>(chain.values.size())) {
        for (int32_t value = 0; value < count_; ++value) {
            alias_.push_back(value);
        }
    }

    Program build() {
        uniform_.resize(static_cast<std::size_t>(count_));
        reduced_.resize(static_cast<std::size_t>(count_));
        splitRows();
        for (Chain::Operand const& operand : chain_.operands) {
            addSource(operand);
        }
        for (Chain::Node const& node : chain_.nodes) {
            addNode(node);
        }
        for (std::size_t i = 0; i < chain_.results.size(); ++i) {
            int32_t const value = aliasOf(chain_.results[i]);
            program_.results.push_back(
                {i, chain_.valueAt(chain_.results[i]).type, value, isUniform(value)});
        }
        program_.values = count_;
        program_.steps = static_cast<int64_t>(chain_.nodes.size());
        planPhases(program_, actions_);
        return std::move(program_);
    }

private:
    int32_t aliasOf(int32_t value) const { return alias_[static_cast<std::size_t>(value)]; }
    bool isUniform(int32_t value) const { return uniform_[static_cast<std::size_t>(value)]; }
    bool isReduced(int32_t value) const { return reduced_[static_cast<std::size_t>(value)]; }
    int64_t extent(int32_t axis) const { return chain_.domain.d[axis]; }

    /// Along an axis of the domain.
    static int64_t strideOf(Chain::Operand const& operand, int32_t axis) {
        return operand.strides.along[static_cast<std::size_t>(axis)];
    }

    /// Sets rowBegin_: the first axis, from the outside, that belongs to rows.
    void splitRows() {
        int32_t const rank = chain_.domain.nbDims;
        rowBegin_ = 0;
        if (chain_.rowAxes != 0) {
            program_.reduces = true;
            rowBegin_ = rank;
            while (rowBegin_ > 0 && (((chain_.rowAxes >> (rowBegin_ - 1)) & 1U) != 0 ||
                                     extent(rowBegin_ - 1) == 1)) {
                --rowBegin_;
            }
        } else if (int32_t const begin = innermostLoop(); begin > 0) {
            int64_t inner = 1;
            for (int32_t axis = begin; axis < rank; ++axis) {
                inner *= extent(axis);
            }
            rowBegin_ = inner >= kShortestRow ? begin : 0;
        }
        program_.rows = program_.rowLength = 1;
        for (int32_t axis = 0; axis < rank; ++axis) {
            (axis < rowBegin_ ? program_.rows : program_.rowLength) *= extent(axis);
            if (axis < rowBegin_) {
                program_.rowExtents.push_back(extent(axis));
            }
        }
    }

    /// The first axis of the innermost loop that all operands share.
    int32_t innermostLoop() const {
        int32_t begin = chain_.domain.nbDims;
        for (; begin > 0; --begin) {
            for (Chain::Operand const& operand : chain_.operands) {
                Loops loops;
                for (int32_t axis = begin - 1; axis < chain_.domain.nbDims; ++axis) {
                    loops.add(extent(axis), strideOf(operand, axis));
                }
                if (loops.rank > 1) {
                    return begin;
                }
            }
        }
        return 0;
    }

    void addSource(Chain::Operand const& operand) {
        Source source;
        source.operand = operand.input;
        source.begin = operand.strides.begin;
        source.type = chain_.valueAt(operand.value).type;
        for (int32_t axis = 0; axis < chain_.domain.nbDims; ++axis) {
            if (axis < rowBegin_) {
                source.rowStrides.push_back(strideOf(operand, axis));
            } else {
                source.loops.add(extent(axis), strideOf(operand, axis));
            }
        }
        source.uniform = source.loops.uniform();
        source.direct = source.type == DataType::kFLOAT && source.loops.contiguous();
        uniform_[static_cast<std::size_t>(operand.value)] = source.uniform;
        Action action;
        action.kind = Action::Kind::kLoad;
        action.output = operand.value;
        action.source = program_.sources.size();
        actions_.push_back({action, {}, source.uniform, !source.uniform && !source.direct});
        program_.sources.push_back(std::move(source));
    }

    void add(Action action, std::vector<int32_t> const& inputs, bool uniform) {
        std::copy(inputs.begin(), inputs.end(), action.inputs.begin());
        auto const output = static_cast<std::size_t>(action.output);
        uniform_[output] = uniform;
        reduced_[output] = action.kind == Action::Kind::kFold ||
                           std::ranges::any_of(inputs, [&](int32_t i) { return isReduced(i); });
        actions_.push_back({action, inputs, uniform, !uniform});
    }

    void addMap(Chain::Node const& node, int32_t function, float a = 0.0F, float b = 0.0F) {
        Action action;
        action.function = static_cast<uint8_t>(function);
        action.output = node.output;
        action.a = a;
        action.b = b;
        int32_t const input = aliasOf(node.inputs[0]);
        add(action, {input}, isUniform(input));
    }

    void addCombine(Chain::Node const& node, nvinfer1::ElementWiseOperation operation) {
        int32_t const x = aliasOf(node.inputs[0]);
        int32_t const y = aliasOf(node.inputs[1]);
        Action action;
        action.function = static_cast<uint8_t>(operation);
        action.output = node.output;
        action.form = isUniform(x) == isUniform(y) ? CombineForm::kArrays
                      : isUniform(x)               ? CombineForm::kScalarLeft
                                                   : CombineForm::kScalarRight;
        bool const uniform = isUniform(x) && isUniform(y);
        if (operation == nvinfer1::ElementWiseOperation::kDIV && !uniform && isUniform(y) &&
            isReduced(y)) {
            addQuotient(node, x, y);
            return;
        }
        if (operation == nvinfer1::ElementWiseOperation::kSUM && isUniform(x) != isUniform(y) &&
            addScaled(node, isUniform(x) ? y : x, isUniform(x) ? x : y)) {
            return;
        }
        bool const power = operation == nvinfer1::ElementWiseOperation::kPOW && isUniform(y);
        action.kind = power ? Action::Kind::kPower : Action::Kind::kCombine;
        add(action, {x, y}, uniform);
    }

    /// The sum of a number and of a product with a number, which nothing else reads, as one pass
    /// over the array. Returns false for other arrays.
    bool addScaled(Chain::Node const& node, int32_t array, int32_t number) {
        auto const product = std::ranges::find_if(actions_, [&](PlannedAction const& planned) {
            Action const& action = planned.action;
            return action.output == array && action.kind == Action::Kind::kCombine &&
                   action.function == static_cast<uint8_t>(CombineFunction::kProduct) &&
                   action.form != CombineForm::kArrays;
        });
        bool const reads = std::ranges::count(node.inputs, array) == 1; // not by another name
        if (product == actions_.end() || !reads || chain_.readersOf(array) != 1 ||
            std::ranges::count(chain_.results, array) != 0) {
            return false;
        }
        bool const right = product->action.form == CombineForm::kScalarRight;
        Action action;
        action.kind = Action::Kind::kScale;
        action.output = node.output;
        std::vector<int32_t> const inputs{product->inputs[right ? 0 : 1],
                                          product->inputs[right ? 1 : 0], number};
        actions_.erase(product);
        add(action, inputs, false);
        return true;
    }

    /// x / y as x * (1 / y), for one number y that reductions gave, as in normalizations: one more
    /// rounding, and a fraction of the time.
    void addQuotient(Chain::Node const& node, int32_t x, int32_t y) {
        Action inverse;
        inverse.function = static_cast<uint8_t>(MapFunction::kRecip);
        inverse.output = newValue();
        add(inverse, {y}, true);
        Action product;
        product.kind = Action::Kind::kCombine;
        product.function = static_cast<uint8_t>(CombineFunction::kProduct);
        product.form = CombineForm::kScalarRight;
        product.output = node.output;
        add(product, {x, inverse.output}, false);
    }

    /// Values of their own for the steps of an operation that is several.
    int32_t addStep(CombineFunction function, int32_t x, int32_t y, int32_t output) {
        Action action;
        action.kind = Action::Kind::kCombine;
        action.function = static_cast<uint8_t>(function);
        action.form = isUniform(x) == isUniform(y) ? CombineForm::kArrays
                      : isUniform(x)               ? CombineForm::kScalarLeft
                                                   : CombineForm::kScalarRight;
        action.output = output;
        add(action, {x, y}, isUniform(x) && isUniform(y));
        return output;
    }

    int32_t addStep(MapFunction function, int32_t x, int32_t output, float a = 0.0F,
                    float b = 0.0F) {
        Action action;
        action.function = static_cast<uint8_t>(function);
        action.output = output;
        action.a = a;
        action.b = b;
        add(action, {x}, isUniform(x));
        return output;
    }

    /// Numbers stay floats between operations; stores convert them.
    void addQuantize(Chain::Node const& node) {
        DataType const type = chain_.valueAt(node.output).type;
        bool const shifts = node.inputs.size() > 2;
        int32_t value = addStep(CombineFunction::kQuotient, aliasOf(node.inputs[0]),
                                aliasOf(node.inputs[1]), newValue());
        if (graph::isWholeQuantized(type)) {
            value = addStep(MapFunction::kRound, value, newValue());
        }
        if (shifts) {
            value = addStep(CombineFunction::kSum, value, aliasOf(node.inputs[2]), newValue());
        }
        if (graph::isWholeQuantized(type)) {
            graph::Limits const limits = graph::limitsOf(type);
            addStep(MapFunction::kClip, value, node.output, limits.least, limits.most);
            return;
        }
        Action action;
        action.kind = Action::Kind::kRound;
        action.type = type;
        action.output = node.output;
        add(action, {value}, isUniform(value));
    }

    void addDequantize(Chain::Node const& node) {
        DataType const type = chain_.valueAt(node.output).type;
        bool const narrows = type != DataType::kFLOAT && chain_.readersOf(node.output) > 0;
        int32_t value = aliasOf(node.inputs[0]);
        if (node.inputs.size() > 2) {
            value =
                addStep(CombineFunction::kDifference, value, aliasOf(node.inputs[2]), newValue());
        }
        value = addStep(CombineFunction::kProduct, value, aliasOf(node.inputs[1]),
                        narrows ? newValue() : node.output);
        if (narrows) {
            Action action;
            action.kind = Action::Kind::kRound;
            action.type = type;
            action.output = node.output;
            add(action, {value}, isUniform(value));
        }
    }

    void addChoice(Chain::Node const& node) {
        std::vector<int32_t> inputs;
        bool uniform = true;
        for (int32_t const input : node.inputs) {
            inputs.push_back(aliasOf(input));
            uniform = uniform && isUniform(inputs.back());
        }
        for (int32_t& input : inputs) {
            input = uniform || !isUniform(input) ? input : splat(input);
        }
        Action action;
        action.kind = Action::Kind::kChoose;
        action.output = node.output;
        add(action, inputs, uniform);
    }

    int32_t newValue() {
        uniform_.push_back(false);
        reduced_.push_back(false);
        return count_++;
    }

    /// A new value: an array of one number.
    int32_t splat(int32_t number) {
        Action action;
        action.kind = Action::Kind::kSplat;
        action.output = newValue();
        add(action, {number}, false);
        return action.output;
    }

    void addCast(Chain::Node const& node) {
        DataType const from = chain_.valueAt(node.inputs[0]).type;
        DataType const to = chain_.valueAt(node.output).type;
        bool const narrows = (to == DataType::kHALF || to == DataType::kBF16) && from != to &&
                             from != DataType::kBOOL && chain_.readersOf(node.output) > 0;
        if (to == DataType::kBOOL && from != to) {
            addMap(node, static_cast<int32_t>(MapFunction::kTruth));
        } else if (narrows) {
            Action action;
            action.kind = Action::Kind::kRound;
            action.type = to;
            action.output = node.output;
            int32_t const input = aliasOf(node.inputs[0]);
            add(action, {input}, isUniform(input));
        } else { // loads and stores convert
            alias_[static_cast<std::size_t>(node.output)] = aliasOf(node.inputs[0]);
        }
    }

    void addFold(Chain::Node const& node, ReduceOperation operation) {
        Action action;
        action.kind = Action::Kind::kFold;
        action.output = node.output;
        FoldFunction const function = operation == ReduceOperation::kPROD  ? FoldFunction::kProduct
                                      : operation == ReduceOperation::kMAX ? FoldFunction::kMaximum
                                      : operation == ReduceOperation::kMIN ? FoldFunction::kMinimum
                                                                           : FoldFunction::kSum;
        action.function = static_cast<uint8_t>(function);
        action.a = operation == ReduceOperation::kAVG ? 1.0F : 0.0F;
        int32_t const input = aliasOf(node.inputs[0]);
        // Rows of one element are uniform; folds read arrays.
        add(action, {isUniform(input) ? splat(input) : input}, true);
    }

    void addNode(Chain::Node const& node) {
        std::string_view const kind = node.op->kind();
        if (kind == graph::Activation::kKind) {
            auto const& op = static_cast<graph::Activation const&>(*node.op);
            addMap(node, static_cast<int32_t>(op.type), op.alpha, op.beta);
        } else if (kind == graph::Unary::kKind) {
            auto const& op = static_cast<graph::Unary const&>(*node.op);
            addMap(node,
                   static_cast<int32_t>(op.operation) + static_cast<int32_t>(MapFunction::kExp));
        } else if (kind == graph::ElementWise::kKind) {
            addCombine(node, static_cast<graph::ElementWise const&>(*node.op).operation);
        } else if (kind == graph::Select::kKind) {
            addChoice(node);
        } else if (kind == graph::Reduce::kKind) {
            addFold(node, static_cast<graph::Reduce const&>(*node.op).operation);
        } else if (kind == graph::Cast::kKind) {
            addCast(node);
        } else if (kind == graph::Quantize::kKind) {
            addQuantize(node);
        } else if (kind == graph::Dequantize::kKind) {
            addDequantize(node);
        } else { // Identity
            alias_[static_cast<std::size_t>(node.output)] = aliasOf(node.inputs[0]);
        }
    }

    Chain const& chain_;
    int32_t count_;
    int32_t rowBegin_ = 0;
    std::vector<int32_t> alias_;
    std::vector<bool> uniform_; ///< one number for a row
    std::vector<bool> reduced_; ///< depends on a reduction
    std::vector<PlannedAction> actions_;
    Program program_;
};

} // namespace

Program programOf(Chain const& chain) {
    return ProgramBuilder(chain).build();
}

} // namespace kiln::targets::cpu
