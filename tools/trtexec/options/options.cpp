// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/options.h"

#include <algorithm>

#include "failure.h"
#include "options/command_line.h"
#include "options/unsupported.h"

namespace kiln::trtexec {
namespace {

std::vector<std::string> optionNames(CLI::App const& app) {
    std::vector<std::string> names;
    for (CLI::Option const* option : app.get_options()) {
        for (std::string const& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

[[noreturn]] void refuse(std::string const& argument, CLI::App const& app) {
    std::string const name = argument.substr(0, argument.find('='));
    if (isUnsupportedOption(name)) {
        fail("[options] {} is not supported yet. Leave it out; --help lists what is supported",
             name);
    }
    std::vector<std::string> const near = nearNames(name, optionNames(app));
    std::string const hint = near.empty()
                                 ? "--help lists the options"
                                 : "Near names: " + fmt::format("{}", fmt::join(near, ", "));
    fail("[options] unknown {} '{}'. {}", name.rfind('-', 0) == 0 ? "option" : "argument", argument,
         hint);
}

/// Combinations that mean nothing.
void check(Options const& options) {
    ModelOptions const& model = options.model;
    BuildOptions const& build = options.build;
    if (model.onnx.empty() && model.loadEngine.empty()) {
        fail("[options] expected a model, got none. Pass --onnx=FILE or --loadEngine=FILE");
    }
    if (!model.onnx.empty() && !model.loadEngine.empty()) {
        fail("[options] expected --onnx or --loadEngine, got both. Leave one out");
    }
    if (!model.loadEngine.empty() &&
        (build.fp16 || build.stronglyTyped || !build.saveEngine.empty() ||
         !build.minShapes.empty() || !build.optShapes.empty() || !build.maxShapes.empty())) {
        fail("[options] --loadEngine opens a plan as it was built. Leave out --saveEngine, --fp16, "
             "--stronglyTyped, --minShapes, --optShapes and --maxShapes, or build with --onnx");
    }
    if (build.fp16 && build.stronglyTyped) {
        fail("[options] --stronglyTyped takes every type from the model, --fp16 lets the builder "
             "choose. Leave one out");
    }
}

} // namespace

Options parseOptions(std::vector<std::string> const& arguments) {
    Options options;
    std::unique_ptr<CLI::App> const app = makeCommandLine(options);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // as CLI11 wants it
    try {
        app->parse(reversed);
    } catch (CLI::ParseError const& error) {
        fail("[options] {}", error.what());
    }
    if (std::vector<std::string> const rest = app->remaining(); !rest.empty()) {
        refuse(rest.front(), *app);
    }
    check(options);
    // What is built for the optimum is run at the optimum, if nothing else is said.
    for (auto const& [name, range] : profileRanges(options)) {
        options.inference.shapes.try_emplace(name, range.opt);
    }
    return options;
}

std::string helpText() {
    Options options;
    return makeCommandLine(options)->help();
}

RangeMap profileRanges(Options const& options) {
    BuildOptions const& build = options.build;
    return completeRanges(build.minShapes, build.optShapes, build.maxShapes,
                          options.inference.shapes);
}

} // namespace kiln::trtexec
