// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

/// What determines the packed bytes besides the original.
std::string packingKey(target::KernelRecord const& record, target::PackedOperand const& packed,
                       Dims const& dims) {
    auto const text = [](Bytes const& bytes) {
        return std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    };
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", record.op, record.kernel, packed.operand,
                       packed.tag, static_cast<int32_t>(record.inputs[packed.operand].type),
                       toText(dims), text(record.parameters), text(record.code));
}

/// Gives the step constants in the order that its kernel wants. They are packed when the plan is
/// written, so that the packed weights of a whole model are in memory once. The originals stay for
/// other steps; those without readers do not reach the plan.
void packConstants(Rewriter& rewriter, StepId id, std::span<target::OperandSpec const> inputs,
                   std::span<std::size_t const> packedBytes) {
    Program& program = rewriter.program();
    target::KernelRecord const& record = program.step(id).kernel;
    std::size_t done = 0;
    for (target::PackedOperand const& packed : program.backend.packs(record)) {
        Value const& original = program.value(program.step(id).inputs().at(packed.operand));
        Dims const& dims = inputs[packed.operand].opt;
        plan::Packing packing{
            packedBytes[done++], packingKey(record, packed, dims),
            [&backend = program.backend, record, packed, dims](ByteView elements) {
                void const* const device = backend.readsHostMemory() ? elements.data() : nullptr;
                return backend.pack(record, packed.operand,
                                    {elements.data(), device, elements.size(), dims});
            }};
        Value value;
        value.name = original.name;
        value.role = original.role;
        value.type = original.type;
        value.shape = original.shape;
        value.origin = original.origin;
        value.recipe = original.recipe;
        value.packing = std::make_shared<plan::Packing const>(std::move(packing));
        value.type.tag = packed.tag;
        rewriter.setInput(id, packed.operand, program.addValue(std::move(value)));
    }
}

} // namespace

void chooseKernels(Program& program, KernelChooser& chooser) {
    Extents const extents = extentsOf(program);
    Rewriter rewriter(program);
    for (StepId const id : program.order()) {
        Step& step = program.step(id);
        if (step.isPlugin() || graph::isControl(*step.op)) {
            continue;
        }
        std::vector<target::OperandSpec> inputs;
        std::vector<target::OperandSpec> outputs;
        for (ValueId const value : step.inputs()) {
            inputs.push_back(specOf(program, extents, value));
        }
        for (ValueId const value : step.outputs()) {
            outputs.push_back(outputSpecOf(program, extents, step, value));
        }
        KernelChoice const& choice = chooser.choose(*step.op, step.name, inputs, outputs);
        if (!choice.found) {
            fail(ErrorKind::kUnsupported,
                 "[select] layer '{}' ({}): the {} target has no kernel for it: {}.", step.name,
                 step.op->kind(), program.backend.name(),
                 choice.reasons.empty() ? "the operation is unknown there"
                                        : join(choice.reasons, "; "));
        }
        step.kernel = choice.record;
        step.workspaceBytes = choice.workspaceBytes;
        step.reasons.insert(step.reasons.end(), choice.reasons.begin(), choice.reasons.end());
        packConstants(rewriter, id, inputs, choice.packedBytes);
    }
}

} // namespace kiln::compiler
