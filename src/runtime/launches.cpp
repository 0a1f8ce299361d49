// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/launches.h"

#include <algorithm>

#include "runtime/part_times.h"

namespace kiln::runtime {
namespace {

// Kernels write to the plan's workspace without checks, so its size must suffice. Plugins are not
// asked again here: askPlugins() checks their workspace when the plan is opened.
void expectWorkspace(uint64_t reserved, std::size_t wanted) {
    if (wanted > reserved) {
        fail(ErrorKind::kCorruptData,
             "expected {} bytes of workspace, the plan has {}. Build the plan again.", wanted,
             reserved);
    }
}

std::string const& kernelNameOf(plan::StepRecord const& record, int32_t profile) {
    return record.kernelAt(record.kernelFor(static_cast<std::size_t>(profile))).kernel;
}

} // namespace

Launches::Launches(plan::Document const& document, SizePoints const& points, MakeInstance make)
    : steps_(document.steps.size()), document_(document), points_(points), make_(std::move(make)),
      preparedFor_(document.steps.size()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        instances_.push_back(make_(i, selected_));
    }
}

Launches::Work Launches::workOf(std::size_t step, int32_t profile) const {
    plan::StepRecord const& record = document_.steps[step];
    auto const at = static_cast<std::size_t>(profile);
    return {step, record.plugin.isNone() ? static_cast<int32_t>(record.kernelFor(at))
                                         : record.pluginFor(at).number()};
}

void Launches::replace(std::size_t step,
                       std::unique_ptr<target::KernelInstance> instance) noexcept {
    instances_[step] = std::move(instance);
    preparedFor_[step].clear();
    std::erase_if(parked_, [&](auto const& parked) { return parked.first.first == step; });
}

void Launches::select(int32_t profile) {
    auto const differ = [&](std::size_t step) {
        return workOf(step, profile) != workOf(step, selected_);
    };
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        if (differ(i) && parked_.count(workOf(i, profile)) == 0) {
            auto made = make_(i, profile);
            parked_.emplace(workOf(i, profile), std::move(made));
        }
        if (differ(i)) {
            parked_.try_emplace(workOf(i, selected_)); // room for what the switch parks
        }
    }
    for (std::size_t i = 0; i < instances_.size(); ++i) { // nothing throws from here on
        bool const switches = differ(i);
        if (switches) {
            auto const taken = parked_.extract(workOf(i, profile));
            parked_.find(workOf(i, selected_))->second = std::move(instances_[i]);
            instances_[i] = std::move(taken.mapped());
        }
        if (switches || !document_.steps[i].plugin.isNone()) {
            preparedFor_[i].clear();
        }
    }
    selected_ = profile;
}

void Launches::findOperands(std::size_t step, Shapes const& shapes,
                            std::vector<Dims>& operands) const {
    plan::StepRecord const& record = document_.steps[step];
    operands.clear();
    for (auto const* list : {&record.inputs, &record.outputs}) {
        bool const roomy = points_.finds(step) && list == &record.outputs;
        Table<plan::TensorId, Dims> const& dims =
            roomy || points_.counts(step) ? shapes.bounds : shapes.dims;
        for (plan::TensorId const tensor : *list) {
            operands.push_back(tensor == plan::kAbsent ? target::kAbsentDims : dims[tensor]);
        }
    }
}

void Launches::fitWorkspaces(Shapes const& shapes, std::span<uint64_t> bytes) const {
    std::vector<Dims> operands;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        plan::StepRecord const& record = document_.steps[i];
        findOperands(i, shapes, operands);
        bool const known = std::none_of(operands.begin(), operands.end(), [](Dims const& dims) {
            return std::any_of(dims.d, dims.d + std::max(dims.nbDims, 0),
                               [](int64_t extent) { return extent < 0; });
        });
        if (bytes[i] == 0 || !record.isKernel() || !known) {
            continue;
        }
        std::span<Dims const> const all(operands);
        bytes[i] = std::min<uint64_t>(
            bytes[i], instances_[i]->workspaceBytes(all.first(record.inputs.size()),
                                                    all.subspan(record.inputs.size())));
    }
}

void Launches::prepare(std::size_t first, std::size_t last, Shapes const& shapes,
                       PartTimes* times) {
    std::vector<Dims> operands;
    for (std::size_t i = first; i < last; ++i) {
        findOperands(i, shapes, operands);
        std::vector<Dims>& before = preparedFor_[i];
        if (before.size() == operands.size() &&
            std::equal(before.begin(), before.end(), operands.begin(), sameDims)) {
            continue;
        }
        before.clear(); // if reshape throws, the step is prepared again next time
        prepareStep(i, operands, shapes);
        before = operands;
        if (times != nullptr) {
            times->add("prepare", kernelNameOf(document_.steps[i], selected_));
        }
    }
}

void Launches::prepareStep(std::size_t step, std::span<Dims const> operands, Shapes const& shapes) {
    plan::StepRecord const& record = document_.steps[step];
    target::KernelInstance& instance = *instances_[step];
    auto const inputs = operands.first(record.inputs.size());
    auto const outputs = operands.subspan(record.inputs.size());
    try {
        instance.takeValues(shapes.values);
        instance.reshape(inputs, outputs);
        expectWorkspace(shapes.layout == nullptr ? record.workspaceBytes
                                                 : shapes.layout->workspaces[step],
                        instance.workspaceBytes(inputs, outputs));
    } catch (Error const& error) {
        if (error.kind() == ErrorKind::kPlugin) {
            throw;
        }
        fail(error.kind(), "[run] layer '{}': {}", record.name, error.what());
    }
    steps_[step].launch = instance.launch();
}

} // namespace kiln::runtime
