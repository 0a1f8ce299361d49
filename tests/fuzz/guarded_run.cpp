// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/guarded_run.h"

#include <algorithm>

#include "base/tensor_layout.h"
#include "fuzz/guarded_memory.h"
#include "runtime/context.h"

namespace kiln::test {
namespace {

class CopiedPlan final : public runtime::PlanBytes {
public:
    explicit CopiedPlan(Bytes bytes) : bytes_(std::move(bytes)) {}
    ByteView view() const noexcept override { return bytes_; }

private:
    Bytes bytes_;
};

bool hasHostCode(plan::Document const& document) {
    return std::any_of(document.plugins.begin(), document.plugins.end(),
                       [](plugin::PluginRecord const& record) { return !record.code.empty(); });
}

/// Whether a run ends soon: a damaged plan may ask for many passes, one in another.
bool isShort(plan::Document const& document) {
    constexpr double kMostRuns = 1e4; // of the steps in bodies
    std::vector<int64_t> const most = runtime::largestValues(document);
    double runs = 1;
    for (plan::StepRecord const& step : document.steps) {
        if (step.control.has_value() && step.control->value < 0) {
            return step.control->kind != plan::ControlKind::kRepeat;
        }
        if (step.control.has_value()) {
            runs *= std::max(
                1.0, static_cast<double>(most[static_cast<std::size_t>(step.control->value)]));
        }
    }
    return runs <= kMostRuns;
}

/// Selects a profile and its largest shape for every input.
void selectLargest(runtime::Context& context, plan::Document const& document, int32_t profile) {
    context.setProfile(profile);
    if (document.profiles.empty()) {
        return;
    }
    for (plan::ProfileRange const& range :
         document.profiles[static_cast<std::size_t>(profile)].ranges) {
        context.setInputShape(range.tensor, range.max);
    }
}

void writeValues(plan::Document const& document, int32_t profile, plan::TensorId tensor,
                 void* data) {
    if (document.profiles.empty()) {
        return;
    }
    for (plan::ValueRange const& range :
         document.profiles[static_cast<std::size_t>(profile)].values) {
        if (range.tensor == tensor) {
            runtime::writeValues(document.tensors[tensor].type.type, range.max, data);
        }
    }
}

/// The exact dimensions of all tensors at the largest shapes and values of a profile.
Table<plan::TensorId, Dims> largestShapes(plan::Document const& document, std::size_t profile) {
    runtime::Leaves leaves(document);
    auto const inputOf = [&](plan::TensorId tensor) { return document.tensors[tensor].inputIndex; };
    if (profile < document.profiles.size()) {
        for (plan::ProfileRange const& range : document.profiles[profile].ranges) {
            leaves.of(inputOf(range.tensor)) = range.max;
        }
        for (plan::ValueRange const& range : document.profiles[profile].values) {
            leaves.valuesOf(inputOf(range.tensor)) = range.max;
        }
    }
    std::vector<int64_t> values(document.exprs.size());
    graph::evaluate(document.exprs, leaves, values);
    Table<plan::TensorId, Dims> dims(document.tensors.size());
    runtime::shapesOf(document, values, dims);
    return dims;
}

void runProfile(runtime::Context& context, plan::Document const& document,
                std::vector<plan::TensorId> const& io, int32_t profile) {
    selectLargest(context, document, profile);
    Table<plan::TensorId, Dims> const dims =
        largestShapes(document, static_cast<std::size_t>(profile));
    std::vector<GuardedMemory> buffers;
    for (plan::TensorId const index : io) {
        plan::TensorRecord const& tensor = document.tensors[index];
        std::size_t const bytes =
            storageBytes(tensor.type.type, tensor.type.format, dims[index], tensor.name);
        if (bytes > kMostBytes) {
            return;
        }
        buffers.emplace_back(bytes);
        writeValues(document, profile, index, buffers.back().data());
        context.setAddress(index, buffers.back().data());
    }
    context.run(nullptr);
}

} // namespace

void openAndRunGuarded(Bytes const& plan) {
    runtime::Engine const engine(std::make_shared<CopiedPlan>(plan), Log(), {},
                                 {true, {true, false, ""}});
    plan::Document const& document = engine.document();
    if (document.arenaBytes > kMostBytes) {
        return;
    }
    GuardedMemory const arena(document.arenaBytes);
    runtime::Context context(engine, {}, runtime::MemoryStrategy::kUser);
    context.setArena(arena.data(), document.arenaBytes);
    if (hasHostCode(document) || !isShort(document)) {
        return;
    }
    auto const profiles = std::max<std::size_t>(1, document.profiles.size());
    for (std::size_t profile = 0; profile < profiles; ++profile) {
        runProfile(context, document, engine.io(), static_cast<int32_t>(profile));
    }
}

} // namespace kiln::test
