// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/command_line.h"

#include <functional>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>

#include "failure.h"
#include "options/near_names.h"
#include "options/option_table.h"

namespace kiln::trtexec {
namespace {

/// Writes "--name=FILE", as for trtexec, instead of CLI11's "--name FILE".
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_opts(CLI::Option const* option) const override {
        return option->get_option_text();
    }
};

/// Wraps the text at spaces: CLI11 indents lines but does not wrap them.
std::string wrapped(std::string const& text, size_t width) {
    std::string lines;
    size_t begin = 0;
    while (text.size() - begin > width) {
        size_t const blank = text.rfind(' ', begin + width);
        lines += text.substr(begin, blank - begin) + "\n";
        begin = blank + 1;
    }
    return lines + text.substr(begin);
}

std::string helpOf(OptionEntry const& entry) {
    switch (entry.effect) {
    case Effect::kWorks: return entry.help;
    case Effect::kNote: return fmt::format("No effect: {}.", entry.help);
    case Effect::kCuda:
        return fmt::format("On cuda: {} No effect on the cpu target: {}.", entry.help, entry.onCpu);
    case Effect::kRefused: return fmt::format("Refused: {}.", entry.help);
    }
    return {};
}

void apply(OptionEntry const& entry, std::string const& value, Options& options) {
    std::string const name = firstName(entry);
    if (entry.effect == Effect::kRefused) {
        fail("[options] {} is not supported: {}. Leave it out", name, entry.help);
    }
    if (entry.effect == Effect::kNote) {
        options.notes.push_back(fmt::format("{} has no effect: {}", name, entry.help));
    }
    if (entry.effect == Effect::kCuda) {
        options.cpuNotes.push_back(
            fmt::format("{} has no effect on the cpu target: {}", name, entry.onCpu));
    }
    if (entry.read != nullptr) {
        entry.read(options, value);
    }
}

using Apply = std::function<void(OptionEntry const& entry, std::string const& value)>;

/// Creates the parser. It calls `apply` for each option in command line order, because --profile
/// applies to the shapes that follow it.
std::unique_ptr<CLI::App> makeParser(Apply const& apply) {
    auto app = std::make_unique<CLI::App>(
        "Builds an engine from an ONNX model, or opens one, runs it and reports how fast it was.");
    auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(36);
    app->formatter(formatter);
    app->set_help_flag();
    app->allow_extras();
    app->name("trtexec");
    for (OptionGroup const& group : optionGroups()) {
        for (OptionEntry const& entry : group.entries) {
            CLI::Option* option = nullptr;
            if (*entry.form == '\0') {
                option = app->add_flag_callback(entry.names, [&] { apply(entry, ""); });
            } else {
                std::function<void(std::string const&)> const read = [&](std::string const& value) {
                    apply(entry, value);
                };
                option = app->add_option_function(entry.names, read)->allow_extra_args(false);
            }
            option->trigger_on_parse()
                ->group(group.name)
                ->option_text(entry.form)
                ->description(wrapped(helpOf(entry), 62));
        }
    }
    return app;
}

std::vector<std::string> optionNames(CLI::App const& app) {
    std::vector<std::string> names;
    for (CLI::Option const* option : app.get_options()) {
        for (std::string const& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

[[noreturn]] void refuseUnknown(std::string const& argument, CLI::App const& app) {
    std::string const name = argument.substr(0, argument.find('='));
    std::vector<std::string> const near = nearNames(name, optionNames(app));
    std::string const hint = near.empty()
                                 ? "--help lists the options"
                                 : "Near names: " + fmt::format("{}", fmt::join(near, ", "));
    fail("[options] unknown {} '{}'. {}", name.rfind('-', 0) == 0 ? "option" : "argument", argument,
         hint);
}

} // namespace

void readCommandLine(std::vector<std::string> const& arguments, Options& options) {
    std::set<OptionEntry const*> seen;
    Apply const store = [&](OptionEntry const& entry, std::string const& value) {
        if (!seen.insert(&entry).second && !entry.repeats) {
            fail("[options] {}: expected it once, got it twice. Leave one out", firstName(entry));
        }
        apply(entry, value, options);
    };
    std::unique_ptr<CLI::App> const app = makeParser(store);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // CLI11's order
    try {
        app->parse(reversed);
    } catch (CLI::ParseError const& error) {
        fail("[options] {}", error.what());
    }
    if (std::vector<std::string> const rest = app->remaining(); !rest.empty()) {
        refuseUnknown(rest.front(), *app);
    }
}

std::string helpText() {
    return makeParser([](OptionEntry const&, std::string const&) {})->help();
}

} // namespace kiln::trtexec
