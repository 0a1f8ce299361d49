// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/constants.h"

#include <algorithm>
#include <cstring>

#include "base/tensor_layout.h"
#include "compiler/cast_step.h"
#include "target/backend_registry.h"

namespace kiln::compiler {
namespace {

std::vector<target::OperandType> typesOf(Program const& program, std::vector<ValueId> const& ids) {
    std::vector<target::OperandType> types;
    for (ValueId const id : ids) {
        types.push_back(program.value(id).type);
    }
    return types;
}

std::vector<Dims> dimsOf(Program const& program, std::vector<ValueId> const& ids) {
    std::vector<Dims> dims;
    for (ValueId const id : ids) {
        dims.push_back(graph::knownDims(program.pool, program.value(id).shape));
    }
    return dims;
}

std::vector<target::OperandSpec> specsOf(Program const& program, std::vector<ValueId> const& ids) {
    std::vector<target::OperandSpec> specs;
    for (ValueId const id : ids) {
        Value const& value = program.value(id);
        Dims const dims = graph::knownDims(program.pool, value.shape);
        target::OperandSpec spec;
        spec.type = value.type;
        spec.min = spec.opt = spec.max = dims;
        specs.push_back(spec);
    }
    return specs;
}

bool isKnown(Dims const& dims) {
    return std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent >= 0; });
}

/// A kernel of the target cpu that needs no constants of its own; null if there is none.
std::unique_ptr<target::Kernel> kernelFor(target::Backend& host, Program const& program,
                                          Step const& step) {
    std::vector<target::OperandSpec> const inputs = specsOf(program, step.inputs());
    std::vector<target::OperandSpec> const outputs = specsOf(program, step.outputs());
    ByteWriter writer;
    step.op->save(writer);
    target::KernelRecord record{
        {}, std::string(step.op->kind()),    writer.take(),
        {}, typesOf(program, step.inputs()), typesOf(program, step.outputs())};
    for (target::Candidate const& candidate :
         host.candidates({*step.op, step.name, inputs, outputs})) {
        if (candidate.offered() && !candidate.compile) {
            record.kernel = candidate.kernel;
            return host.load(record, std::vector<target::ConstantOperand>(inputs.size()));
        }
    }
    return nullptr;
}

} // namespace

bool isFloatConstant(Value const& value) {
    return value.role == plan::TensorRole::kConstant && !value.isAbsent() &&
           isFloating(value.type.type);
}

std::vector<float> floatsOf(Value const& constant) {
    Bytes converted;
    ByteView bytes = constant.data.view;
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

ConstantBytes const& constantAs(Program const& program, ValueId id, DataType type) {
    Value const& value = program.value(id);
    if (value.type.type == type) {
        return value.data;
    }
    auto const [entry, isNew] = program.converted.try_emplace({id, type});
    if (isNew) {
        entry->second = ConstantBytes(convertElements(value.data.view, value.type.type, type));
    }
    return entry->second;
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
    value.data =
        ConstantBytes(type == DataType::kFLOAT ? std::move(bytes)
                                               : convertElements(bytes, DataType::kFLOAT, type));
    return value;
}

std::optional<double> scalarOf(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    if (value.role != plan::TensorRole::kConstant || value.isAbsent()) {
        return std::nullopt;
    }
    DataType const type = value.type.type;
    ByteView const bytes = value.data.view;
    if (isFloating(type) && bytes.size() == bytesFor(type, 1)) {
        return floatsOf(value).front();
    }
    if (type == DataType::kINT32 && bytes.size() == sizeof(int32_t)) {
        int32_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof(number));
        return number;
    }
    if (type == DataType::kINT64 && bytes.size() == sizeof(int64_t)) {
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
    std::size_t const width = bytesFor(type, 1);
    std::vector<int64_t> numbers;
    for (std::size_t at = 0; at < value.data.view.size(); at += width) {
        int64_t wide = 0;
        int32_t narrow = 0;
        if (type == DataType::kINT64) {
            std::memcpy(&wide, value.data.view.data() + at, width);
        } else {
            std::memcpy(&narrow, value.data.view.data() + at, width);
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

std::optional<std::vector<Bytes>> evaluateOnHost(Program const& program, Step const& step) {
    std::vector<Dims> const inputs = dimsOf(program, step.inputs());
    std::vector<Dims> const outputs = dimsOf(program, step.outputs());
    if (!std::all_of(outputs.begin(), outputs.end(), isKnown)) {
        return std::nullopt;
    }
    target::Backend& host = target::BackendRegistry::instance().open("cpu");
    std::unique_ptr<target::Kernel> const kernel = kernelFor(host, program, step);
    if (kernel == nullptr) {
        return std::nullopt;
    }
    std::unique_ptr<target::KernelInstance> const instance = kernel->instantiate();
    std::vector<Bytes> results;
    std::vector<void const*> sources;
    std::vector<void*> targets;
    for (ValueId const id : step.inputs()) {
        sources.push_back(program.value(id).data.view.data());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        DataType const type = program.value(step.outputs()[i]).type.type;
        TensorFormat const format = program.value(step.outputs()[i]).type.format;
        results.emplace_back(storageBytes(type, format, outputs[i], step.name));
        targets.push_back(results.back().data());
    }
    Bytes workspace(instance->workspaceBytes(inputs, outputs));
    instance->reshape(inputs, outputs);
    target::Launch const launch = instance->launch();
    target::KernelCall const call{sources.data(), targets.data(), workspace.data()};
    if (launch.run(launch.state, call, nullptr) != 0 || instance->faulted()) {
        return std::nullopt; // the engine reports it when it runs
    }
    return results;
}

} // namespace kiln::compiler
