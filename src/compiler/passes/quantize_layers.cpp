// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantizes convolutions and products whose operands have known ranges: by one scale for a tensor,
// largest magnitude / 127, and one for each output channel of weights. The quantizations are
// ordinary steps, so what the engine computes is what the same network with quantize and dequantize
// layers computes.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/cast.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/quantize.h"
#include "graph/ops/reduce.h"
#include "graph/ops/unary.h"
#include "plan/range_role.h"

namespace kiln::compiler {
namespace {

constexpr float kMost = 127.0F;

class Quantizer {
public:
    explicit Quantizer(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        std::vector<StepId> steps;
        for (StepId const id : program_.order()) {
            steps.push_back(id);
        }
        for (StepId const id : steps) {
            if (isWanted(program_.step(id)) && canQuantize(program_.step(id))) {
                quantize(id);
            }
        }
    }

private:
    bool isConstant(ValueId value) const {
        return program_.value(value).role == plan::TensorRole::kConstant;
    }

    /// Whether the elements are known, or can be computed.
    static bool hasElements(target::Recipe const& recipe) {
        std::vector<target::Recipe const*> const parts =
            target::partsOf(recipe, target::Parts::kUnknown);
        return recipe.bytes() > 0 &&
               std::all_of(parts.begin(), parts.end(), [](target::Recipe const* part) {
                   return !part->isSource() || part->isKnown();
               });
    }

    /// Precisions bind with one of the flags.
    bool isWanted(Step const& step) const {
        bool const binds = program_.options.obeyPrecision || program_.options.preferPrecision;
        return !binds || !step.precision.has_value() || *step.precision == DataType::kINT8;
    }

    /// Whether the ranges of the first two operands are known, and weights at hand.
    bool canQuantize(Step const& step) const {
        if (step.isPlugin() || step.inputs().size() < 2 ||
            (step.as<graph::Convolution>() == nullptr &&
             step.as<graph::MatrixMultiply>() == nullptr)) {
            return false;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            Value const& value = program_.value(step.inputs()[i]);
            bool const known =
                isConstant(step.inputs()[i])
                    ? !value.isAbsent() && value.recipe != nullptr && hasElements(*value.recipe)
                    : value.magnitude > 0.0F && value.role != plan::TensorRole::kValues;
            if (!isFloating(value.type.type) || !known) {
                return false;
            }
        }
        return !isConstant(step.inputs()[0]) || !isConstant(step.inputs()[1]);
    }

    void quantize(StepId id) {
        for (std::size_t i = 0; i < 2; ++i) {
            ValueId const operand = program_.step(id).inputs()[i];
            std::pair const key{operand, isConstant(operand) ? channelAxis(id, i) : -1};
            auto const found = done_.find(key);
            ValueId const with = found != done_.end() ? found->second : around(id, i, key.second);
            done_[key] = with;
            rewriter_.setInput(id, i, with);
        }
        program_.step(id).rewrites.push_back("quantize_layers");
        if (program_.step(id).precision == DataType::kINT8) {
            program_.step(id).pinned = true;
        }
    }

    /// The axis of output channels; -1: one scale for all.
    int32_t channelAxis(StepId id, std::size_t operand) const {
        Step const& step = program_.step(id);
        if (step.as<graph::Convolution>() != nullptr) {
            return operand == 1 ? 0 : -1;
        }
        using nvinfer1::MatrixOperation;
        MatrixOperation const operation = step.as<graph::MatrixMultiply>()->operation[operand];
        Dims const dims =
            graph::knownDims(program_.pool, program_.value(step.inputs()[operand]).shape);
        int32_t const rank = dims.nbDims;
        bool const oneMatrix =
            rank >= 2 && std::all_of(dims.d, dims.d + rank - 2, [](int64_t d) { return d == 1; });
        if (!oneMatrix || operation == MatrixOperation::kVECTOR) {
            return -1;
        }
        bool const lastIsOutput = (operand == 1) == (operation == MatrixOperation::kNONE);
        return lastIsOutput ? rank - 1 : rank - 2;
    }

    /// The operand, quantized and dequantized.
    ValueId around(StepId id, std::size_t operand, int32_t axis) {
        ValueId const source = program_.step(id).inputs()[operand];
        ValueId const scale = !isConstant(source)      ? rangeScale(source)
                              : program_.options.refit ? computedScale(id, source, axis)
                                                       : weightScale(source, axis);
        auto quantize = std::make_unique<graph::Quantize>();
        quantize->axis = axis;
        auto dequantize = std::make_unique<graph::Dequantize>();
        dequantize->axis = axis;
        dequantize->toType = program_.value(source).type.type;
        std::string const name = program_.value(source).name;
        ValueId const narrow =
            addStep(id, {source, scale}, std::move(quantize), DataType::kINT8, name + " (int8)");
        return addStep(id, {narrow, scale}, std::move(dequantize), program_.value(source).type.type,
                       name + " (dequantized)");
    }

    ValueId addStep(StepId before, std::vector<ValueId> inputs, std::unique_ptr<graph::Op> op,
                    DataType type, std::string name, std::optional<Dims> dims = std::nullopt) {
        Value value;
        value.name = name;
        value.type.type = type;
        value.shape = dims.has_value() ? graph::constantShape(program_.pool, *dims)
                                       : program_.value(inputs[0]).shape;
        ValueId const result = program_.addValue(std::move(value));
        Step step(std::move(inputs), {result});
        step.name = std::move(name);
        step.op = std::move(op);
        rewriter_.insertBefore(before, std::move(step));
        return result;
    }

    /// The scale of a tensor, which a refit may change.
    ValueId rangeScale(ValueId tensor) {
        Value const& value = program_.value(tensor);
        Options const& options = program_.options;
        bool const open = options.refit && !options.refitMarked && !options.stripPlan &&
                          ranges_.insert(value.name).second; // unless others have this name, too
        return addScale(value, {}, {value.magnitude},
                        open ? value.name + std::string(plan::kRangeRole) : std::string());
    }

    ValueId weightScale(ValueId weights, int32_t axis) {
        Value const& value = program_.value(weights);
        Dims const dims = graph::knownDims(program_.pool, value.shape);
        target::Elements const elements = target::elementsOf(*value.recipe);
        Bytes const floats = convertElements(elements.view, value.type.type, DataType::kFLOAT);
        auto const* numbers = reinterpret_cast<float const*>(floats.data());
        int64_t inner = 1;
        for (int32_t i = axis + 1; i < dims.nbDims; ++i) {
            inner *= dims.d[i];
        }
        int64_t const channels = axis < 0 ? 1 : dims.d[axis];
        std::vector<float> largest(static_cast<std::size_t>(channels), 0.0F);
        for (int64_t i = 0; i < volume(dims, value.name); ++i) {
            float& most = largest[static_cast<std::size_t>(axis < 0 ? 0 : i / inner % channels)];
            most = std::max(most, std::fabs(numbers[i]));
        }
        Dims const shape = axis < 0 ? Dims{0, {}} : Dims{1, {channels}};
        return addScale(value, shape, std::move(largest));
    }

    /// The same by steps, which are folded to a recipe: a refit computes the scale again.
    ValueId computedScale(StepId before, ValueId weights, int32_t axis) {
        constexpr float kLeast = 1e-30F; // of channels of zeros, which stay zeros
        std::string const name = program_.value(weights).name + " (scale)";
        int32_t const rank = program_.value(weights).shape.rank;
        Dims const channels = graph::knownDims(program_.pool, program_.value(weights).shape);
        Dims const dims = axis < 0 ? Dims{0, {}} : Dims{1, {channels.d[axis]}};
        auto reduce = std::make_unique<graph::Reduce>();
        reduce->operation = nvinfer1::ReduceOperation::kMAX;
        reduce->axes = (1U << rank) - 1U - (axis < 0 ? 0U : 1U << axis);
        ValueId numbers = weights;
        if (program_.value(weights).type.type != DataType::kFLOAT) {
            auto cast = std::make_unique<graph::Cast>();
            cast->toType = DataType::kFLOAT;
            numbers = addStep(before, {weights}, std::move(cast), DataType::kFLOAT, name);
        }
        auto absolute = std::make_unique<graph::Unary>();
        absolute->operation = nvinfer1::UnaryOperation::kABS;
        numbers = addStep(before, {numbers}, std::move(absolute), DataType::kFLOAT, name);
        if (reduce->axes != 0) {
            numbers = addStep(before, {numbers}, std::move(reduce), DataType::kFLOAT, name, dims);
        }
        using nvinfer1::ElementWiseOperation;
        for (auto const& [operation, operand] : {std::pair(ElementWiseOperation::kDIV, kMost),
                                                 std::pair(ElementWiseOperation::kMAX, kLeast)}) {
            auto combine = std::make_unique<graph::ElementWise>();
            combine->operation = operation;
            ValueId const other = addNumbers(name, Dims{dims.nbDims, {1}}, {operand}, {});
            numbers = addStep(before, {numbers, other}, std::move(combine), DataType::kFLOAT, name);
        }
        return numbers;
    }

    /// A constant: the magnitudes / 127. With a name, a refit may change it.
    ValueId addScale(Value const& of, Dims const& dims, std::vector<float> numbers,
                     std::string source = {}) {
        for (float& number : numbers) {
            number = number > 0.0F ? number / kMost : 1.0F; // channels of zeros stay zeros
        }
        return addNumbers(of.name + " (scale)", dims, numbers, std::move(source));
    }

    ValueId addNumbers(std::string name, Dims const& dims, std::vector<float> const& numbers,
                       std::string source) {
        Bytes bytes(numbers.size() * sizeof(float));
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
        Value scale;
        scale.name = std::move(name);
        scale.origin = scale.name;
        scale.role = plan::TensorRole::kConstant;
        scale.type.type = DataType::kFLOAT;
        scale.shape = graph::constantShape(program_.pool, dims);
        scale.recipe = target::Recipe::source(std::move(source), scale.type,
                                              target::Elements(std::move(bytes)));
        return program_.addValue(std::move(scale));
    }

    Program& program_;
    Rewriter rewriter_;
    std::map<std::pair<ValueId, int32_t>, ValueId> done_; ///< by operand and axis
    std::set<std::string> ranges_;                        ///< tensors that have one
};

} // namespace

void quantizeLayers(Program& program) {
    if (program.options.allowInt8) {
        Quantizer(program).run();
    }
}

} // namespace kiln::compiler
