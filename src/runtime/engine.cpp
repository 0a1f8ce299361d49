// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "plan/reader.h"
#include "plugin/restore.h"
#include "runtime/control.h"
#include "runtime/host_step.h"
#include "runtime/part_times.h"
#include "runtime/plan_shapes.h"
#include "runtime/plugin_instance.h"
#include "runtime/plugin_questions.h"
#include "runtime/upload.h"
#include "target/backend_registry.h"
#include "target/constant_copies.h"

namespace kiln::runtime {
namespace {

// The plan reader cannot check the sizes of dynamic tensors, because they depend on the profiles.
// Contexts rely on this check: within its capacity, a tensor is inside the arena.
void checkArena(plan::Document const& document, Table<plan::TensorId, uint64_t> const& capacity) {
    for (plan::TensorId const i : document.tensors.ids()) {
        plan::TensorRecord const& tensor = document.tensors[i];
        if (tensor.role == plan::TensorRole::kInternal && tensor.sharesWith.isNone() &&
            capacity[i] > document.arenaBytes - tensor.offset) { // read() checked the offset
            fail(ErrorKind::kCorruptData,
                 "[plan] tensor '{}': {} bytes at offset {} pass the end of the arena ({}). Build "
                 "the plan again.",
                 tensor.name, capacity[i], tensor.offset, document.arenaBytes);
        }
    }
}

target::Device& deviceFor(plan::Document const& document, target::DeviceChoice const& devices) {
    try {
        target::Backend& backend = target::BackendRegistry::instance().open(document.target);
        if (target::Device* const device = devices.of(backend)) {
            return *device;
        }
        fail(ErrorKind::kUnsupported, "{}", backend.noDevice());
    } catch (Error const& error) {
        fail(error.kind(), "[plan] target {}: the plan needs {}, but {}", document.target,
             document.architecture, error.what());
    }
}

/// Kernels compute addresses by the target's layouts, and the plan the places by its own.
void checkLayouts(plan::Document const& document) {
    target::Backend const* backend = nullptr;
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (!tensor.layout.has_value()) {
            continue;
        }
        backend = backend == nullptr ? &target::BackendRegistry::instance().open(document.target)
                                     : backend;
        target::Layout const* const own =
            target::findLayout(backend->layouts(), tensor.layout->tag);
        if (own == nullptr || *own != *tensor.layout) {
            fail(ErrorKind::kCorruptData,
                 "[plan] tensor '{}': expected a layout that the {} target has, got {}, '{}'. "
                 "Build the plan again.",
                 tensor.name, document.target, tensor.layout->tag, tensor.layout->name);
        }
    }
}

std::shared_ptr<plugin::CreatorTable const> creatorsOfProcess(plan::Document const&) {
    return {std::shared_ptr<void>(), &plugin::CreatorTable::instance()}; // never destroyed
}

/// Whether the launch of a compiled plugin depends on sizes that are not known before it runs.
bool launchesEarly(plan::Document const& document, SizePoints const& points,
                   plan::StepRecord const& step, int32_t here) {
    bool early = false;
    for (plan::PluginIndex const plugin : step.plugins()) {
        for (plugin::AotVariant const& variant : document.plugins[plugin].code) {
            for (plugin::AotKernel const& kernel : variant.kernels) {
                plugin::forEachExpression(kernel, [&](graph::ExprRef ref, std::string_view) {
                    early = early || points.knownAfter(ref) >= here;
                });
            }
        }
    }
    return early;
}

// Preparing a step requires the sizes that its operands depend on. Only outputs of the step that
// finds a size may depend on that size, and it must write the size to the target's memory.
void checkSizes(plan::Document const& document, SizePoints const& points) {
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (tensor.begin >= 0 && points.knownAfter(tensor.begin) != SizePoints::kAlways) {
            fail(ErrorKind::kCorruptData,
                 "[plan] tensor '{}': expected a beginning that is known before the run, got one "
                 "that depends on a size that a step finds. Build the plan again.",
                 tensor.name);
        }
    }
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        plan::StepRecord const& step = document.steps[i];
        auto const here = static_cast<int32_t>(i);
        auto const after = [&](plan::TensorId tensor) {
            return tensor == plan::kAbsent ? SizePoints::kAlways
                                           : points.knownAfter(document.tensors[tensor]);
        };
        bool const early =
            std::any_of(step.inputs.begin(), step.inputs.end(),
                        [&](plan::TensorId tensor) { return after(tensor) >= here; }) ||
            std::any_of(step.outputs.begin(), step.outputs.end(),
                        [&](plan::TensorId tensor) { return after(tensor) > here; });
        bool const decidesEarly =
            step.control.has_value() &&
            ((step.control->value >= 0 && points.knownAfter(step.control->value) >= here) ||
             std::any_of(step.control->slices.begin(), step.control->slices.end(),
                         [&](plan::TensorId tensor) { return after(tensor) >= here; }));
        if (early || decidesEarly || launchesEarly(document, points, step, here) ||
            (isHostStep(document, step) && !points.writtenBy(i).empty())) {
            fail(ErrorKind::kCorruptData,
                 "[plan] step '{}': expected operands whose sizes earlier steps find, got a "
                 "size that is not known then. Build the plan again.",
                 step.name);
        }
    }
}

// Host code reads operands that the plan declares as known on the host. If that is false on a
// target whose memory the host cannot read, the process would crash.
void checkHostOperands(plan::Document const& document) {
    std::vector<int32_t> const byValue = valueInputs(document);
    for (plan::StepRecord const& step : document.steps) {
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            if (step.inputs[i] == plan::kAbsent) {
                continue;
            }
            plan::TensorRecord const& tensor = document.tensors[step.inputs[i]];
            if ((isHostStep(document, step) || isHostOperand(document, step, i)) &&
                !knownOnHost(tensor, byValue)) {
                fail(ErrorKind::kCorruptData,
                     "[plan] step '{}': expected tensor '{}' to be known on the host, got one of "
                     "the device. Build the plan again.",
                     step.name, tensor.name);
            }
        }
        for (plan::TensorId const output : step.outputs) {
            plan::TensorRecord const& tensor = document.tensors[output];
            if (tensor.shapeOutput &&
                (!isHostStep(document, step) || step.inputs.size() != 1 ||
                 step.inputs[0] == plan::kAbsent || step.outputs.size() != 1)) {
                fail(ErrorKind::kCorruptData,
                     "[plan] step '{}': expected shape output '{}' to be a copy of values that the "
                     "host knows. Build the plan again.",
                     step.name, tensor.name);
            }
        }
    }
}

} // namespace

Engine::Engine(std::shared_ptr<PlanBytes const> bytes, Log log, Creators const& creators,
               HostCode const& hostCode, nvinfer1::IGpuAllocator* allocator,
               target::DeviceChoice const& devices)
    : bytes_(std::move(bytes)), log_(log), document_(plan::read(bytes_->view())),
      sizePoints_(document_), device_(deviceFor(document_, devices)), allocator_(allocator) {
    PartTimes times;
    if (std::string const problem = device_.architectureProblem(document_.architecture);
        !problem.empty()) {
        fail(ErrorKind::kUnsupported,
             "[plan] target {}: the plan needs {}, but {}. Build it on or for this machine.",
             document_.target, document_.architecture, problem);
    }
    for (plan::TensorId const i : document_.tensors.ids()) {
        plan::TensorRecord const& tensor = document_.tensors[i];
        if (tensor.role == plan::TensorRole::kInput || tensor.role == plan::TensorRole::kOutput) {
            io_.push_back(i);
            ioByName_.emplace(tensor.name, i);
        }
    }
    capacity_ = capacities(document_);
    checkArena(document_, capacity_);
    checkLayouts(document_);
    checkSizes(document_, sizePoints_);
    checkHostOperands(document_);
    checkControl(document_, sizePoints_);
    checkHostCode(document_, hostCode);
    times.add("checks");
    target::DeviceScope const scope(device_); // for plugins that are created here
    if (document_.weightStreaming) {
        streaming_ = std::make_unique<WeightStreaming>(document_, device_, allocator);
    }
    Upload upload(device_);
    placeConstants(allocator, upload);
    noteStripped();
    times.add("memory of constants");
    upload.start();
    loadPlugins(creators);
    times.add("plugins");
    loadSteps(hostCode, times);
    upload.finish();
    times.add("rest of the upload");
    log_.verbose("[engine] '{}' was opened in {}", document_.name, times.text());
}

Engine::~Engine() {
    try {
        leaving_.emplace(device_);
    } catch (...) { // device lost or no memory: plugins are destroyed anyway
    }
    kernels_.clear();
    for (auto const& plugin : plugins_) {
        if (plugin != nullptr) {
            plugin->terminate();
        }
    }
}

void Engine::loadPlugins(Creators const& creators) {
    std::shared_ptr<plugin::CreatorTable const> const table =
        creators ? creators(document_) : creatorsOfProcess(document_);
    for (plugin::PluginRecord const& record : document_.plugins) {
        std::unique_ptr<plugin::PluginOp> made;
        if (record.style != plugin::PluginStyle::kQuickAot) { // these need only their code
            made = plugin::restorePlugin(record, *table);
        }
        plugins_.add(std::move(made));
    }
    askPlugins(document_, plugins_);
    for (auto const& plugin : plugins_) {
        if (plugin != nullptr) {
            plugin->initialize();
        }
    }
}

std::vector<target::OperandType> Engine::typesOf(
    std::vector<plan::TensorId> const& operands) const {
    std::vector<target::OperandType> types;
    for (plan::TensorId const tensor : operands) {
        types.push_back(tensor == plan::kAbsent ? target::kAbsentType
                                                : document_.tensors[tensor].type);
    }
    return types;
}

void Engine::loadSteps(HostCode const& hostCode, PartTimes& times) {
    // Kernels convert constants to types of twice their size, or transform weights to at most nine
    // times their size; kernels of several profiles do it in several ways. A small plan may have
    // little else.
    constexpr std::size_t kCopies = 16;
    constexpr std::size_t kLeastBudget = std::size_t{1} << 20;
    target::ConstantCopies copies(kCopies * bytes_->view().size() + kLeastBudget);
    target::ConstantCopies::Scope const scope(copies);
    for (plan::StepRecord const& step : document_.steps) {
        aot_.emplace_back();
        kernels_.emplace_back();
        if (step.control.has_value() || hostDoes(step)) {
            continue;
        }
        if (!step.plugin.isNone()) {
            for (plan::PluginIndex const plugin : step.plugins()) {
                plugin::PluginRecord const& record = document_.plugins[plugin];
                if (record.style == plugin::PluginStyle::kQuickAot) {
                    aot_.back()[plugin] = std::make_unique<AotCode>(
                        aotName(record), record.code, device_, typesOf(step.inputs),
                        typesOf(step.outputs), hostCode.ways);
                }
            }
            continue;
        }
        for (std::size_t number = 0; number < step.kernelCount(); ++number) {
            bool const waits = lacks(step.inputsAt(number)); // for weights
            kernels_.back().push_back(waits ? nullptr : loadKernel(step, number));
            times.add("load", step.kernelAt(number).kernel);
        }
    }
}

uint64_t Engine::contextBytes(uint64_t arenaBytes) const {
    uint64_t const scratch = streaming_ == nullptr ? 0 : streaming_->scratchBytes();
    return roundUp(scratch, DeviceBuffer::kAlignment) + arenaBytes;
}

bool Engine::hostDoes(plan::StepRecord const& step) const {
    return !device_.isHost() && isHostStep(document_, step);
}

bool Engine::isPluginCode(std::size_t step) const {
    return !document_.steps[step].plugin.isNone() && aot_[step].empty();
}

bool Engine::isPythonCode(std::size_t step) const {
    return isPluginCode(step) && document_.plugins[document_.steps[step].plugin].needsPython;
}

plan::TensorId Engine::ioIndex(std::string_view name) const {
    auto const found = ioByName_.find(name);
    return found == ioByName_.end() ? plan::TensorId() : found->second;
}

PluginRun Engine::aboutRun(plan::StepRecord const& step) const {
    PluginRun about{.device = device_.number()};
    for (std::size_t i = 0; i < step.inputs.size() && i < 64; ++i) {
        about.hostInputs |= static_cast<uint64_t>(isHostOperand(document_, step, i)) << i;
    }
    return about;
}

std::unique_ptr<target::KernelInstance> Engine::instantiate(
    std::size_t step, int32_t profile, plugin::ContextServices const& services) const {
    plan::StepRecord const& record = document_.steps[step];
    if (lacksWeights_) {
        expectWeights();
        fail(ErrorKind::kCorruptData,
             "[plan] '{}': expected names of all weights that the plan omits, got constants that "
             "no weights give. Build the plan again.",
             document_.name);
    }
    if (record.control.has_value()) {
        return makeControlInstance(*record.control);
    }
    if (hostDoes(record)) {
        return makeHostStep(typesOf(record.inputs)[0], typesOf(record.outputs)[0]);
    }
    if (record.plugin.isNone()) {
        return kernels_[step][record.kernelFor(static_cast<std::size_t>(profile))]->instantiate();
    }
    plan::PluginIndex const plugin = record.pluginFor(static_cast<std::size_t>(profile));
    if (!aot_[step].empty()) {
        return aot_[step].at(plugin)->instantiate();
    }
    std::vector<uint64_t> room;
    if (guardWanted() && device_.isHost()) {
        for (plan::TensorId const output : record.outputs) {
            room.push_back(capacity_[output]);
        }
    }
    return std::make_unique<PluginInstance>(plugins_[plugin]->attach(services),
                                            document_.plugins[plugin].tactic, aboutRun(record),
                                            typesOf(record.inputs), typesOf(record.outputs), room);
}

} // namespace kiln::runtime
