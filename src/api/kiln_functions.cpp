// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Kiln's additions to the API, declared in include/kiln/kiln.h.
#include <kiln/kiln.h>
#include <kiln/message_code.h>

#include "api/execution_context.h"
#include "api/global_logger.h"
#include "api/host_memory.h"
#include "api/plan_description.h"
#include "api/refitter.h"
#include "api/reporter.h"
#include "api/runtime.h"
#include "api/target_description.h"
#include "base/library_folders.h"
#include "base/mapped_file.h"
#include "base/message_codes.h"
#include "base/parallel.h"
#include "base/per_thread.h"
#include "base/text.h"
#include "plan/code_problems.h"
#include "plan/reader.h"
#include "plugin/creator_table.h"
#include "plugin/plugin_run.h"
#include "target/backend_registry.h"
#include "target/build_target.h"

namespace kiln {
namespace {

/// Reports the plugins of a plan. Returns false if one is not registered, not compiled into the
/// plan and cannot come from the plan's libraries or Python sources.
bool checkPlugins(plan::Document const& document, Log const& log) {
    bool complete = true;
    for (plan::LibraryRecord const& library : document.libraries) {
        log.info("[check] plugin library '{}': {} bytes, loaded with the engine if the "
                 "runtime allows engine host code",
                 library.name, library.data.size());
    }
    for (plan::SourceRecord const& source : document.sources) {
        log.info("[check] Python source '{}': {} bytes, run with the engine where "
                 "kiln.allow_python_source says so",
                 source.name, source.text.size());
    }
    for (plugin::PluginRecord const& record : document.plugins) {
        bool const compiled = record.style == plugin::PluginStyle::kQuickAot;
        bool const found =
            compiled || plugin::CreatorTable::instance().find(record.id).creator != nullptr;
        bool const hasSource = plan::sourceOf(document, record.id) != nullptr;
        bool const mayCarry = hasSource || !document.libraries.empty();
        complete = complete && (found || mayCarry);
        log.write(found || mayCarry ? Severity::kINFO : Severity::kERROR,
                  fmt::format("[check] layer '{}' needs plugin {} ({}, {}): {}", record.layer,
                              record.id.text(), record.needsPython ? "Python" : "C++",
                              plugin::nameOf(record.style),
                              compiled    ? "compiled into the plan"
                              : found     ? "registered"
                              : hasSource ? "not registered in this process; the plan carries its "
                                            "Python source"
                              : mayCarry  ? "not registered in this process; the plan's libraries "
                                            "may have it"
                                          : "not registered in this process"));
    }
    return complete;
}

PerThread<std::string> codedMessage;

} // namespace

char const* messageCode(char const* message) noexcept {
    try {
        return (codedMessage.get() = codeOf(orEmpty(message))).c_str();
    } catch (...) {
        return "";
    }
}

char const* withMessageCode(char const* message) noexcept {
    try {
        return (codedMessage.get() = withCode(orEmpty(message))).c_str();
    } catch (...) {
        return orEmpty(message);
    }
}

char const* version() noexcept {
    return KILN_VERSION_STRING;
}

nvinfer1::ICudaEngine* openEngine(nvinfer1::IRuntime& runtime, char const* path) noexcept {
    auto& own = static_cast<api::Runtime&>(runtime);
    return own.reporter().guard<nvinfer1::ICudaEngine*>(
        nullptr, [&] { return own.open(runtime::mappedPlan(orEmpty(path))); });
}

bool checkPlan(char const* path, nvinfer1::ILogger& logger) noexcept {
    api::Reporter const reporter{Log(&logger)};
    return reporter.guard(false, [&] {
        MappedFile const file(orEmpty(path));
        bool intact = true;
        for (plan::SectionInfo const& section : plan::checkSections(file.bytes())) {
            intact = intact && section.intact;
            reporter.log().write(
                section.intact ? Severity::kINFO : Severity::kERROR,
                fmt::format("[check] section '{}': {} bytes at {}: {}", section.name, section.bytes,
                            section.offset,
                            section.intact ? "intact" : "damaged, copy or build it again"));
        }
        plan::Document const document = plan::read(file.bytes());
        std::vector<std::string> const problems = plan::codeProblems(document);
        for (std::string const& problem : problems) {
            reporter.log().error("{}", problem);
        }
        return checkPlugins(document, reporter.log()) && problems.empty() && intact;
    });
}

nvinfer1::IHostMemory* describePlan(char const* path, nvinfer1::ILogger& logger) noexcept {
    api::Reporter const reporter{Log(&logger)};
    return reporter.guard<nvinfer1::IHostMemory*>(nullptr, [&] {
        MappedFile const file(orEmpty(path));
        std::string const text = api::planDescription(file.bytes());
        auto const* const bytes = reinterpret_cast<std::byte const*>(text.data());
        return new api::HostMemory(Bytes(bytes, bytes + text.size()));
    });
}

void setDefaultLogger(nvinfer1::ILogger* logger) noexcept {
    api::setDefaultLogger(logger);
}

nvinfer1::ILogger& defaultLogger() noexcept {
    return *api::globalLog().logger();
}

void setNumThreads(int32_t count) noexcept {
    if (count >= 0) {
        setThreadCount(count);
    }
}

int32_t numThreads() noexcept {
    return threadCount();
}

char const* defaultTarget() noexcept {
    static PerThread<std::string> name;
    api::Reporter const silent{Log()};
    return silent.guard<char const*>("cpu",
                                     [] { return (name.get() = target::defaultTarget()).c_str(); });
}

bool setDefaultTarget(char const* target) noexcept {
    api::Reporter const silent{Log()};
    return silent.guard(false, [&] {
        target::setDefaultTarget(orEmpty(target));
        return true;
    });
}

char const* targetProblem(char const* target) noexcept {
    static PerThread<std::string> problem;
    api::Reporter const silent{Log()};
    return silent.guard<char const*>("out of memory", [&] {
        try {
            target::BackendRegistry::instance().open(orEmpty(target));
            problem.get().clear();
        } catch (Error const& error) {
            problem.get() = error.what();
        }
        return problem.get().c_str();
    });
}

char const* describeTarget(char const* target) noexcept {
    static PerThread<std::string> text;
    api::Reporter const silent{Log()};
    return silent.guard<char const*>("{}", [&] {
        text.get() = api::targetDescription(target == nullptr ? target::defaultTarget() : target);
        return text.get().c_str();
    });
}

void addLibraryFolder(char const* folder) noexcept {
    api::Reporter const silent{Log()};
    silent.guard([&] { addLibraryFolder(std::string(orEmpty(folder))); });
}

PluginRun pluginRun() noexcept {
    if (plugin::PluginRunScope const* const scope = plugin::PluginRunScope::current()) [[likely]] {
        return scope->about();
    }
    api::Reporter const silent{Log()};
    return silent.guard(PluginRun{}, [] {
        target::Backend& backend =
            target::BackendRegistry::instance().open(target::defaultTarget());
        return PluginRun{.device = backend.deviceNumber()};
    });
}

int32_t enqueuePythonAlone(nvinfer1::IExecutionContext& context, cudaStream_t stream) noexcept {
    auto& own = static_cast<api::ExecutionContext&>(context);
    return own.callsPythonAlone() ? static_cast<int32_t>(own.enqueueV3(stream)) : -1;
}

nvinfer1::Dims foundShape(nvinfer1::IExecutionContext& context, char const* tensorName) noexcept {
    return static_cast<api::ExecutionContext&>(context).foundShape(tensorName);
}

char const* buildTarget() noexcept {
    return target::buildTarget().c_str();
}

int32_t setKnownWeights(nvinfer1::IRefitter& refitter, char const* layerName,
                        nvinfer1::WeightsRole role, nvinfer1::Weights weights) noexcept {
    auto& own = static_cast<api::Refitter&>(refitter);
    return !own.knows(layerName, role) ? 0 : own.setWeights(layerName, role, weights) ? 1 : -1;
}

} // namespace kiln
