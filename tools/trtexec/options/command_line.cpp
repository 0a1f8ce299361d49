// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/command_line.h"

#include <functional>

#include "failure.h"
#include "options/values.h"

namespace kiln::trtexec {
namespace {

/// Writes "--name=FILE", the way trtexec is called, where CLI11 writes "--name FILE".
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_opts(CLI::Option const* option) const override {
        return option->get_option_text();
    }
};

/// Adds options of one group of the help text.
class Group {
public:
    Group(CLI::App& app, char const* name) : app_(app), name_(name) {}

    void flag(char const* name, bool& target, char const* help) {
        app_.add_flag(name, target, help)->group(name_);
    }

    void text(char const* name, char const* value, std::string& target, char const* help) {
        app_.add_option(name, target, help)->group(name_)->option_text(value);
    }

    /// `read` gets the value's text and throws a Failure when it does not like it.
    template <typename Read>
    void value(char const* name, char const* value, Read read, char const* help) {
        std::function<void(std::string const&)> const function = read;
        app_.add_option_function(name, function, help)->group(name_)->option_text(value);
    }

    void list(char const* name, char const* value, std::vector<std::string>& target,
              char const* help) {
        app_.add_option(name, target, help)
            ->group(name_)
            ->option_text(value)
            ->allow_extra_args(false);
    }

private:
    CLI::App& app_;
    char const* name_;
};

auto shapesInto(char const* option, ShapeMap& target) {
    return [option, &target](std::string const& text) { target = parseShapes(option, text); };
}

auto countInto(char const* option, int64_t& target, int64_t least) {
    return [=, &target](std::string const& text) { target = parseCount(option, text, least); };
}

auto amountInto(char const* option, double& target) {
    return [option, &target](std::string const& text) { target = parseAmount(option, text); };
}

void addModel(CLI::App& app, ModelOptions& model) {
    Group group(app, "Model (one of the two)");
    group.text("--onnx", "=FILE", model.onnx, "Build an engine from this ONNX model.");
    group.text("--loadEngine", "=FILE", model.loadEngine, "Open this plan instead of building.");
}

void addBuild(CLI::App& app, BuildOptions& build) {
    Group group(app, "Build");
    group.text("--saveEngine", "=FILE", build.saveEngine, "Write the plan to this file.");
    group.value(
        "--minShapes", "=SHAPES", shapesInto("--minShapes", build.minShapes),
        "Smallest shapes of the optimization profile, as in\nx:1x8x8,y:4. A missing one of the "
        "three follows\nfrom the others. For a shape tensor: its values.");
    group.value("--optShapes", "=SHAPES", shapesInto("--optShapes", build.optShapes),
                "Shapes that the engine is tuned for.");
    group.value("--maxShapes", "=SHAPES", shapesInto("--maxShapes", build.maxShapes),
                "Largest shapes of the profile.");
    group.flag("--fp16", build.fp16, "Layers may compute in half precision.");
    group.flag("--stronglyTyped", build.stronglyTyped,
               "Types are those of the model; the builder changes none.");
    group.value(
        "--memPoolSize", "=workspace:SIZE",
        [&build](std::string const& text) {
            build.workspaceBytes = parseWorkspace("--memPoolSize", text);
        },
        "Limit of the scratch memory of one layer; in MiB,\nor with a suffix B, K, M or G.");
    group.flag("--skipInference", build.skipInference, "Stop once the engine is built and saved.");
}

void addInference(CLI::App& app, InferenceOptions& inference) {
    Group group(app, "Inference");
    group.value("--shapes", "=SHAPES", shapesInto("--shapes", inference.shapes),
                "Shapes to run with. Default: the optimum of the profile.");
    group.value(
        "--loadInputs", "=NAME:FILE,...",
        [&inference](std::string const& text) {
            inference.loadInputs = parseNamedFiles("--loadInputs", text);
        },
        "Values of inputs: raw bytes in the tensor's type and\nC order. Other inputs get random "
        "values, the same in\neach run.");
    group.value("--iterations", "=N", countInto("--iterations", inference.iterations, 1),
                "Run at least this often (default 10).");
    group.value("--warmUp", "=MS", amountInto("--warmUp", inference.warmUpMs),
                "Run this long before measuring (default 200 ms).");
    group.value("--duration", "=S", amountInto("--duration", inference.durationS),
                "Measure at least this long (default 3 s).");
    group.value("--idleTime", "=MS", amountInto("--idleTime", inference.idleMs),
                "Sleep this long between two runs (default 0 ms).");
    group.flag(
        "--noDataTransfers", inference.noDataTransfers,
        "Leave out copies to and from the device. Changes nothing\non the cpu target, which has "
        "none.");
}

void addReporting(CLI::App& app, ReportingOptions& reporting) {
    Group group(app, "Reporting");
    group.flag("--verbose", reporting.verbose, "Log everything.");
    group.flag("--dumpOutput", reporting.dumpOutput, "Print the outputs of the last run.");
    group.text("--exportOutput", "=FILE", reporting.exportOutput,
               "Write the outputs of the last run as JSON.");
    group.text("--exportTimes", "=FILE", reporting.exportTimes,
               "Write the times of every run as JSON.");
    group.value("--avgRuns", "=N", countInto("--avgRuns", reporting.avgRuns, 1),
                "Runs per line of the trace (default 10).");
    group.value(
        "--percentile", "=P,...",
        [&reporting](std::string const& text) {
            reporting.percentiles = parsePercentiles("--percentile", text);
        },
        "Percentiles to report (default 90,95,99).");
}

void addSystem(CLI::App& app, SystemOptions& system) {
    Group group(app, "System");
    group.list("--plugins,--dynamicPlugins", "=FILE", system.plugins,
               "Load a plugin library (.so) or a Python file (.py).\nMay be given several times.");
    group.list("--staticPlugins", "=FILE", system.staticPlugins,
               "Open a plugin library that registers its creators\nby itself. May be given several "
               "times.");
    group.value(
        "--device", "=N",
        [](std::string const& text) {
            if (text != "0") {
                fail("[options] --device: expected 0, got '{}'. The cpu target is one device",
                     text);
            }
        },
        "Accepted for the sake of scripts; must be 0.");
}

} // namespace

std::unique_ptr<CLI::App> makeCommandLine(Options& options) {
    auto app = std::make_unique<CLI::App>(
        "Builds an engine from an ONNX model, or opens one, runs it and reports how fast it was.");
    auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(36);
    app->formatter(formatter);
    app->set_help_flag();
    app->allow_extras();
    app->name("trtexec");
    addModel(*app, options.model);
    addBuild(*app, options.build);
    addInference(*app, options.inference);
    addReporting(*app, options.reporting);
    addSystem(*app, options.system);
    app->add_flag("--help,-h")->description("Print this text.")->group("System");
    return app;
}

} // namespace kiln::trtexec
