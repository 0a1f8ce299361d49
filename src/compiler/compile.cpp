// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "compiler/constants.h"
#include "compiler/control_steps.h"
#include "compiler/declared_types.h"
#include "compiler/passes/passes.h"
#include "compiler/progress.h"
#include "compiler/rewriter.h"
#include "plan/writer.h"
#include "target/backend_registry.h"

namespace kiln::compiler {

namespace {

/// Adds the plugins that declared the types to a layer's error about its types.
void importWhole(graph::Network& network, Program& program) {
    try {
        applyProfiles(network, program);
        importNetwork(network, program);
    } catch (Error const& error) {
        std::string const plugins = error.kind() == ErrorKind::kInvalidArgument
                                        ? declaredByPlugins(network, error.what())
                                        : std::string();
        if (plugins.empty()) {
            throw;
        }
        raise(error.kind(), error.what() + plugins);
    }
}

/// Whether the use-def chains are proved after each pass: for developers.
bool checksPasses() {
    static bool const on = [] {
        char const* const text = std::getenv("KILN_CHECK_PASSES");
        return text != nullptr && std::string_view(text) == "1";
    }();
    return on;
}

/// Whether the environment switches a part of the compiler off, to find a layer that is wrong or
/// slow.
bool isSwitchedOff(char const* variable) {
    char const* const text = std::getenv(variable);
    return text != nullptr && std::string_view(text) == "0";
}

template <typename Pass>
void runPass(Program& program, std::string_view name, Pass&& pass) {
    pass();
    if (checksPasses()) {
        checkProgram(program, name);
    }
}

/// What the plan of a network has. The memory of what chose it is free by then.
plan::Document documentOf(graph::Network& network, target::Backend& backend, target::Device* device,
                          Options const& options, ProgressPhase& progress) {
    Program program(network.pool(), backend, device, options);
    importWhole(network, program);
    static_cast<void>(controlSteps(program)); // passes rely on bodies with borders
    applyValues(program);
    bool const rewrites = !isSwitchedOff("KILN_REWRITE");
    if (!program.stronglyTyped) {
        if (rewrites && options.allowInt8) { // weights behind reshapes and transposes
            constexpr std::array<std::string_view, 1> kFold{"fold_constants"};
            runPass(program, "fold_constants", [&] { rewrite(program, kFold); });
        }
        runPass(program, "quantize_layers", [&] { quantizeLayers(program); });
        runPass(program, "constrain_types", [&] { constrainTypes(program); });
    }
    runPass(program, "stage_outputs", [&] { stageOutputs(program); });
    KernelChooser chooser(program);
    if (rewrites && !isSwitchedOff("KILN_FUSION")) {
        runPass(program, "keep_quantized", [&] { keepQuantized(program, &chooser); });
    }
    if (rewrites) {
        runPass(program, "rewrite", [&] { rewrite(program); });
    }
    if (rewrites && !isSwitchedOff("KILN_FUSION")) {
        runPass(program, "form_attention", [&] { formAttention(program, &chooser); });
        runPass(program, "join_projections", [&] { joinProjections(program, &chooser); });
        runPass(program, "join_gates", [&] { joinGates(program); });
        runPass(program, "form_regions", [&] { formRegions(program); });
        runPass(program, "fold_kept", [&] { foldKept(program); });
    }
    progress.step();
    releaseReadConstants(program);
    assignTypes(program, chooser);
    progress.step();
    runPass(program, "insert_casts", [&] { insertCasts(program); });
    runPass(program, "fold_identities", [&] { foldIdentities(program); });
    runPass(program, "fold_slices", [&] { foldSlices(program); });
    runPass(program, "share_memory", [&] { shareMemory(program); });
    if (rewrites) {
        runPass(program, "make_views", [&] { makeViews(program); });
    }
    runPass(program, "stage_results", [&] { stageResults(program); });
    progress.step();
    chooseKernels(program, chooser);
    if (rewrites) {
        runPass(program, "overwrite_inputs", [&] { overwriteInputs(program); });
    }
    progress.step();
    return emitDocument(program);
}

} // namespace

Bytes compile(graph::Network& network, Options const& options) {
    constexpr std::size_t kSteps = 5;
    ProgressPhase progress(options.progress, kBuildPhase, nullptr, kSteps);
    target::Backend& backend = target::BackendRegistry::instance().open(options.target);
    target::Device* const device = options.device != nullptr ? options.device : backend.device();
    std::optional<target::DeviceScope> scope;
    if (device != nullptr) {
        scope.emplace(*device); // plugins are created, timed and destroyed on this thread
    }
    plan::Document document = documentOf(network, backend, device, options, progress);
    document.libraries = options.libraries;
    document.sources = options.sources;
    options.log.info("[builder] engine for {}: {} steps, {} plugins, {} bytes of device memory per "
                     "context.",
                     options.target, document.steps.size(), document.plugins.size(),
                     document.arenaBytes);
    Bytes plan = plan::write(std::move(document));
    progress.step();
    return plan;
}

} // namespace kiln::compiler
