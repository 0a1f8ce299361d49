// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compiler/kernel_selector.h"
#include "compiler/passes/passes.h"
#include "compiler/profile_choice.h"
#include "compiler/progress.h"
#include "compiler/rewriter.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

/// What determines the packed bytes besides the original.
std::string packingKey(target::KernelRecord const& record, target::PackedOperand const& packed,
                       Dims const& dims) {
    std::string const parameters(reinterpret_cast<char const*>(record.parameters.data()),
                                 record.parameters.size());
    return fmt::format("{}|{}|{}|{}|{}|{}|{}", record.op, record.kernel, packed.operand, packed.tag,
                       static_cast<int32_t>(record.inputs[packed.operand].type), toText(dims),
                       parameters);
}

using Constants = std::map<std::size_t, ValueId>; ///< by number of the input

/// The constants of a step in the order that a kernel wants. They are packed when the plan is
/// written, so that the packed weights of a whole model are in memory once. The originals stay for
/// other steps; those without readers do not reach the plan.
Constants packedFor(Program& program, std::vector<ValueId> const& originals,
                    KernelChoice const& choice, std::span<target::OperandSpec const> inputs) {
    Constants constants;
    target::KernelRecord const& record = choice.record;
    std::size_t done = 0;
    for (target::PackedOperand const& packed : program.backend.packs(record)) {
        Value const& original = program.value(originals.at(packed.operand));
        Dims const& dims = inputs[packed.operand].opt;
        plan::Packing packing{
            choice.packedBytes[done++], packingKey(record, packed, dims),
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
        constants[packed.operand] = program.addValue(std::move(value));
    }
    return constants;
}

/// The constants that a kernel reads in place of the step's inputs, which are packed for another
/// kernel.
Constants inPlaceOf(Constants const& packed, std::vector<ValueId> const& originals, Constants own) {
    for (auto const& [operand, value] : packed) {
        own.try_emplace(operand, originals[operand]);
    }
    return own;
}

/// What a report shows of the candidates: so many, with refusals so long, as a plan takes.
std::vector<plan::CandidateRecord> forReport(std::vector<plan::CandidateRecord> candidates) {
    candidates.resize(std::min(candidates.size(), plan::kMostCandidates));
    for (plan::CandidateRecord& one : candidates) {
        one.refusal = one.refusal.substr(0, plan::kMostRefusalBytes);
        one.seconds = std::isfinite(one.seconds) ? std::max(one.seconds, 0.0) : 0.0;
    }
    return candidates;
}

/// Gives a step its kernels.
void take(Rewriter& rewriter, StepId id, StepKernels const& chosen,
          std::span<target::OperandSpec const> inputs) {
    Program& program = rewriter.program();
    Step& step = program.step(id);
    std::vector<ValueId> const originals = step.inputs();
    Constants packed;
    step.workspaceBytes = chosen.workspaceBytes;
    step.profileWorkspaces = chosen.workspaces;
    for (KernelChoice const* const choice : chosen.kernels) {
        Constants own = packedFor(program, originals, *choice, inputs);
        if (choice == chosen.kernels.front()) {
            step.kernel = choice->record;
            step.reasons.insert(step.reasons.end(), choice->reasons.begin(), choice->reasons.end());
            if (program.options.verbosity == nvinfer1::ProfilingVerbosity::kDETAILED) {
                step.candidates = forReport(choice->candidates);
            }
            for (auto const& [operand, value] : own) {
                rewriter.setInput(id, operand, value);
            }
            packed = std::move(own);
        } else {
            step.otherKernels.push_back(
                {choice->record, inPlaceOf(packed, originals, std::move(own))});
        }
    }
    if (!step.otherKernels.empty()) {
        step.kernelOf = chosen.ofProfile;
    }
}

std::vector<target::OperandSpec> specsOf(Program const& program, Extents const& extents,
                                         Step const& step) {
    std::vector<target::OperandSpec> specs;
    for (ValueId const value : step.inputs()) {
        specs.push_back(specOf(program, extents, value));
    }
    for (ValueId const value : step.outputs()) {
        specs.push_back(outputSpecOf(program, extents, step, value));
    }
    return specs;
}

/// The kernel that the user's selector leaves, for all profiles.
KernelChoice selected(Program const& program, KernelChooser& chooser, Step const& step,
                      std::span<target::OperandSpec const> operands) {
    auto const inputs = operands.first(step.inputs().size());
    auto const outputs = operands.subspan(inputs.size());
    std::vector<KernelChoice> all = chooser.all(*step.op, step.name, inputs, outputs);
    if (all.empty()) {
        return {};
    }
    return std::move(
        all[selectKernel(*program.options.selector, {step.name, inputs, outputs, all})]);
}

} // namespace

void chooseKernels(Program& program, KernelChooser& chooser) {
    ProfileChooser profiles(program, chooser);
    Rewriter rewriter(program);
    ProgressPhase phase(program.options.progress, "Choosing kernels", kBuildPhase,
                        program.order().size());
    for (StepId const id : program.order()) {
        phase.step();
        Step const& step = program.step(id);
        if (step.isPlugin() || graph::isControl(*step.op)) {
            continue;
        }
        auto const specs = [&](Extents const& extents) { return specsOf(program, extents, step); };
        StepKernels chosen = profiles.choose(step, specs);
        KernelChoice own;
        if (chosen.found() && program.options.selector != nullptr) {
            own = selected(program, chooser, step, specs(profiles.united()));
            chosen = own.found ? StepKernels{{&own}, {}, own.workspaceBytes, {}} : chosen;
        }
        if (!chosen.found()) {
            std::vector<std::string> const& reasons = profiles.refusals();
            fail(ErrorKind::kUnsupported,
                 "[select] layer '{}' ({}): the {} target has no kernel for it: {}.", step.name,
                 step.op->kind(), program.backend.name(),
                 reasons.empty() ? "the operation is unknown there" : join(reasons, "; "));
        }
        std::vector<target::OperandSpec> const inputs = specs(profiles.united());
        take(rewriter, id, chosen, std::span(inputs).first(step.inputs().size()));
    }
}

} // namespace kiln::compiler
