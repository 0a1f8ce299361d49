// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/resident_memory.h"
#include "compiler/cast_step.h"
#include "compiler/read_weights.h"
#include "graph/ops/cast.h"
#include "target/host_operation.h"

namespace kiln::compiler {
namespace {

std::vector<target::HostOperand> operandsOf(Program const& program,
                                            std::vector<ValueId> const& ids) {
    std::vector<target::HostOperand> operands;
    for (ValueId const id : ids) {
        Value const& value = program.value(id);
        operands.push_back({value.type, graph::knownDims(program.pool, value.shape)});
    }
    return operands;
}

bool isKnown(Dims const& dims) {
    return std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent >= 0; });
}

/// Whether the extents of all outputs are known.
bool knowsOutputs(std::vector<target::HostOperand> const& outputs) {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](target::HostOperand const& output) { return isKnown(output.dims); });
}

} // namespace

bool isFloatConstant(Value const& value) {
    return value.role == plan::TensorRole::kConstant && !value.isAbsent() &&
           isFloating(value.type.type);
}

bool mustStayOpen(Program const& program, target::Recipe const& recipe) {
    if (program.markedWeights.empty()) {
        return false;
    }
    std::vector<std::string_view> const names = target::sourceNames(recipe);
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return program.markedWeights.contains(name); });
}

std::vector<float> floatsOf(Value const& constant) {
    ReadWeights::note(*constant.recipe);
    Bytes converted;
    target::Elements const own = target::elementsOf(*constant.recipe);
    ByteView bytes = own.view;
    if (constant.type.type != DataType::kFLOAT) {
        converted = convertElements(bytes, constant.type.type, DataType::kFLOAT);
        bytes = converted;
    }
    std::vector<float> elements(bytes.size() / sizeof(float));
    if (!elements.empty()) {
        std::memcpy(elements.data(), bytes.data(), bytes.size());
    }
    return elements;
}

bool areFinite(target::Recipe const& recipe) {
    target::Elements const elements = target::elementsOf(recipe);
    return dispatchFloat(recipe.type().type, "builder", [&](auto type) {
        using Type = decltype(type);
        for (std::size_t at = 0; at < elements.view.size(); at += sizeof(Type)) {
            Type element{};
            std::memcpy(&element, elements.view.data() + at, sizeof(Type));
            if (!std::isfinite(static_cast<float>(element))) {
                return false;
            }
        }
        return true;
    });
}

target::RecipePtr computed(graph::Op const& op, std::vector<target::RecipeOperand> operands,
                           target::OperandType type, Dims const& dims) {
    return target::computed(op, op.kind(), std::move(operands), type, dims);
}

target::RecipePtr constantAs(Program const& program, ValueId id, DataType type) {
    Value const& value = program.value(id);
    if (value.type.type == type) {
        return value.recipe;
    }
    auto const [entry, isNew] = program.converted.try_emplace({id, type});
    if (isNew) {
        graph::Cast cast;
        cast.toType = type;
        Dims const dims = graph::knownDims(program.pool, value.shape);
        entry->second = computed(cast, {{value.recipe, dims}}, {type}, dims);
    }
    return entry->second;
}

void LoadedConstants::load(std::span<target::OperandSpec> specs) {
    for (target::OperandSpec& spec : specs) {
        if (spec.constant && spec.recipe != nullptr &&
            (!spec.recipe->isKnown() || !target::isAligned(spec.data, spec.type.type))) {
            kept_.push_back(target::elementsOf(*spec.recipe));
            spec.data = kept_.back().view;
        }
    }
}

Value floatConstant(Program& program, std::string_view name, DataType type, Dims const& dims,
                    std::vector<float> const& elements) {
    Value value;
    value.name = name;
    value.origin = name;
    value.role = plan::TensorRole::kConstant;
    value.type.type = type;
    value.shape = graph::constantShape(program.pool, dims);
    auto const* raw = reinterpret_cast<std::byte const*>(elements.data());
    Bytes bytes(raw, raw + elements.size() * sizeof(float));
    value.recipe = target::Recipe::source(
        {}, value.type,
        target::Elements(type == DataType::kFLOAT
                             ? std::move(bytes)
                             : convertElements(bytes, DataType::kFLOAT, type)));
    return value;
}

void releaseReadConstants(Program const& program) {
    FilePageReleaser files;
    for (Value const& value : program.values()) {
        if (value.recipe != nullptr) {
            target::noteRead(*value.recipe, files);
        }
    }
    files.release();
    releaseSpareMemory();
}

std::optional<double> scalarOf(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    if (value.role != plan::TensorRole::kConstant || value.isAbsent()) {
        return std::nullopt;
    }
    DataType const type = value.type.type;
    if (value.recipe->bytes() != bytesFor(type, 1) || mustStayOpen(program, *value.recipe)) {
        return std::nullopt;
    }
    ReadWeights::note(*value.recipe);
    target::Elements const own = target::elementsOf(*value.recipe);
    ByteView const bytes = own.view;
    if (isFloating(type)) {
        return floatsOf(value).front();
    }
    if (type == DataType::kINT32) {
        int32_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof(number));
        return number;
    }
    if (type == DataType::kINT64) {
        int64_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof(number));
        return static_cast<double>(number);
    }
    return std::nullopt;
}

std::optional<std::vector<int64_t>> integersOf(Value const& value) {
    DataType const type = value.type.type;
    if (value.role != plan::TensorRole::kConstant || value.isAbsent() ||
        (type != DataType::kINT32 && type != DataType::kINT64)) {
        return std::nullopt;
    }
    ReadWeights::note(*value.recipe);
    std::size_t const width = bytesFor(type, 1);
    target::Elements const own = target::elementsOf(*value.recipe);
    std::vector<int64_t> numbers;
    for (std::size_t at = 0; at < own.view.size(); at += width) {
        int64_t wide = 0;
        int32_t narrow = 0;
        if (type == DataType::kINT64) {
            std::memcpy(&wide, own.view.data() + at, width);
        } else {
            std::memcpy(&narrow, own.view.data() + at, width);
        }
        numbers.push_back(type == DataType::kINT64 ? wide : narrow);
    }
    return numbers;
}

std::optional<std::vector<graph::ExprRef>> expressionsOf(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    std::vector<graph::ExprRef> refs(value.values.begin(), value.values.end());
    if (std::optional<std::vector<int64_t>> const numbers = integersOf(value)) {
        for (int64_t const number : *numbers) {
            refs.push_back(program.pool.constant(number));
        }
    }
    return refs.empty() ? std::nullopt : std::optional(std::move(refs));
}

target::RecipePtr recipeOf(Program const& program, Step const& step) {
    std::vector<target::HostOperand> const outputs = operandsOf(program, step.outputs());
    if (outputs.size() != 1 || !knowsOutputs(outputs)) {
        return nullptr;
    }
    std::vector<target::RecipeOperand> operands;
    for (ValueId const id : step.inputs()) {
        Value const& value = program.value(id);
        operands.push_back({value.recipe, graph::knownDims(program.pool, value.shape)});
    }
    return target::computed(*step.op, step.name, std::move(operands), outputs[0].type,
                            outputs[0].dims);
}

std::optional<std::vector<Bytes>> evaluateOnHost(Program const& program, Step const& step) {
    std::vector<target::HostOperand> const outputs = operandsOf(program, step.outputs());
    if (!knowsOutputs(outputs)) {
        return std::nullopt;
    }
    std::unique_ptr<target::HostOperation> const operation = target::HostOperation::find(
        *step.op, step.name, operandsOf(program, step.inputs()), outputs);
    if (operation == nullptr) {
        return std::nullopt;
    }
    std::vector<target::Elements> values;
    std::vector<ByteView> inputs;
    for (ValueId const id : step.inputs()) {
        Value const& value = program.value(id);
        if (value.isAbsent()) {
            inputs.emplace_back();
            continue;
        }
        ReadWeights::note(*value.recipe);
        values.push_back(target::elementsOf(*value.recipe));
        inputs.push_back(values.back().view);
    }
    return operation->run(inputs);
}

} // namespace kiln::compiler
