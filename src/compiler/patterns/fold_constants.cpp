// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A step that reads constants only becomes constants.
#include <algorithm>
#include <cstring>

#include "base/tensor_layout.h"
#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

// A result may be this much larger than its operands. Larger ones, such as a scalar that is
// repeated over a feature map, would only make the plan bigger.
constexpr std::size_t kMostGrowth = 1 << 16;

bool worthStoring(Program const& program, Step const& step) {
    std::size_t before = 0;
    std::size_t after = 0;
    for (ValueId const id : step.inputs()) {
        Value const& input = program.value(id);
        before += input.data.view.size() + input.values.size() * sizeof(int64_t);
    }
    for (ValueId const id : step.outputs()) {
        Value const& value = program.value(id);
        Dims const dims = graph::knownDims(program.pool, value.shape);
        if (std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; })) {
            return false;
        }
        after += bytesFor(value.type.type, volume(dims, value.name));
    }
    return after <= before + kMostGrowth;
}

bool isKnown(Program const& program, Value const& value) {
    bool const hasValues = value.role == plan::TensorRole::kValues && !value.values.empty();
    return (value.role == plan::TensorRole::kConstant && !value.isAbsent()) ||
           (hasValues &&
            std::all_of(value.values.begin(), value.values.end(),
                        [&](graph::ExprRef ref) { return program.pool.isConstant(ref); }));
}

/// A host tensor whose values no shape changes, such as the extent of a fixed axis, as a constant.
Value asConstant(Program const& program, Value const& host) {
    Bytes bytes(host.values.size() * bytesFor(host.type.type, 1));
    for (std::size_t i = 0; i < host.values.size(); ++i) {
        int64_t const number = program.pool.constantOr(host.values[i]);
        // The least significant bytes come first, so they are the number in a shorter type.
        std::memcpy(bytes.data() + i * bytesFor(host.type.type, 1), &number,
                    bytesFor(host.type.type, 1));
    }
    Value constant;
    constant.name = host.name;
    constant.origin = host.name;
    constant.role = plan::TensorRole::kConstant;
    constant.type = host.type;
    constant.shape = host.shape;
    constant.data = ConstantBytes(std::move(bytes));
    return constant;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    bool const foldable =
        !step.inputs().empty() && step.op->sizeCount() == 0 && !graph::isControl(*step.op) &&
        std::all_of(step.inputs().begin(), step.inputs().end(),
                    [&](ValueId input) { return isKnown(program, program.value(input)); }) &&
        std::all_of(step.outputs().begin(), step.outputs().end(),
                    [&](ValueId output) { return program.value(output).isPrivate(); });
    if (!foldable || !worthStoring(program, step)) {
        return false;
    }
    for (std::size_t i = 0; i < step.inputs().size(); ++i) {
        Value const& input = program.value(step.inputs()[i]);
        if (input.role == plan::TensorRole::kValues) {
            rewriter.setInput(id, i, program.addValue(asConstant(program, input)));
        }
    }
    std::optional<std::vector<Bytes>> results = evaluateOnHost(program, step);
    if (!results.has_value()) {
        return false;
    }
    std::vector<ValueId> const outputs = step.outputs();
    std::string const name = step.name;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Value folded;
        folded.name = program.value(outputs[i]).name;
        folded.origin = name;
        folded.role = plan::TensorRole::kConstant;
        folded.type = program.value(outputs[i]).type;
        folded.shape = program.value(outputs[i]).shape;
        folded.data = ConstantBytes(std::move((*results)[i]));
        rewriter.replaceUses(outputs[i], program.addValue(std::move(folded)));
    }
    rewriter.erase(id);
    return true;
}

} // namespace

void registerPattern_fold_constants(PatternRegistry& registry) {
    registry.add({"fold_constants", {}, &apply});
}

} // namespace kiln::compiler
