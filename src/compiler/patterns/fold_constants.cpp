// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A step that reads constants only becomes constants.
#include <algorithm>

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
        before += program.value(id).data.view.size();
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

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    bool const foldable =
        !step.inputs().empty() && step.op->sizeCount() == 0 && !graph::isControl(*step.op) &&
        std::all_of(step.inputs().begin(), step.inputs().end(),
                    [&](ValueId input) {
                        return program.value(input).role == plan::TensorRole::kConstant &&
                               !program.value(input).isAbsent();
                    }) &&
        std::all_of(step.outputs().begin(), step.outputs().end(),
                    [&](ValueId output) { return program.value(output).isPrivate(); });
    if (!foldable || !worthStoring(program, step)) {
        return false;
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
