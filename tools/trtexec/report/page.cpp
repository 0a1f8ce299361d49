// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "failure.h"
#include "files.h"
#include "python_host/host.h"
#include "python_host/interpreter.h"
#include "python_host/process.h"
#include "report/layer_report.h"

namespace kiln::trtexec {
namespace {

/// Removes the current folder from the import path, then is the command `kiln`.
constexpr char const* kCommand = "import sys; sys.path = [p for p in sys.path if p]; "
                                 "from kiln.cli import main; sys.exit(main())";

/// A folder for files that exist for a moment.
class Folder {
public:
    explicit Folder(std::string const& parent) {
        std::filesystem::path const root =
            parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent);
        std::string name = (root / "trtexec-report-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            fail("[report] cannot make a folder in '{}'", root.string());
        }
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;

    std::string write(std::string const& name, void const* data, size_t bytes) const {
        std::string const path = (path_ / name).string();
        writeWhole(path, data, bytes);
        return path;
    }
    std::string write(std::string const& name, std::string const& text) const {
        return write(name, text.data(), text.size());
    }

private:
    std::filesystem::path path_;
};

/// The plan file of the user; empty if there is none.
std::string planOf(Options const& options) {
    return options.model.loadEngine.empty() ? options.build.saveEngine : options.model.loadEngine;
}

std::optional<Interpreter> interpreter(Options const& options, Logger& logger) {
    try {
        return findInterpreter(ownLibrary());
    } catch (Failure const& failure) {
        std::string const plan = planOf(options);
        logger.warning("[report] the page of --report is made by Python: {}. Where it is "
                       "installed, 'kiln report {} --html {}' makes it.",
                       failure.what(), plan.empty() ? "PLAN" : plan, options.reporting.report);
        return std::nullopt;
    }
}

} // namespace

void writePage(Options const& options, nvinfer1::ICudaEngine& engine, LayerTimes const& times,
               std::vector<Query> const& runs, Logger& logger) {
    std::optional<Interpreter> const python = interpreter(options, logger);
    if (!python.has_value()) {
        return;
    }
    Folder const folder(options.system.temporaryFolder);
    std::string plan = planOf(options);
    if (plan.empty()) {
        std::unique_ptr<nvinfer1::IHostMemory> const bytes(engine.serialize());
        if (bytes == nullptr) {
            fail("[report] the engine could not be serialized; the lines above say why");
        }
        plan = folder.write("engine.plan", bytes->data(), bytes->size());
    }
    std::vector<std::string> words{
        python->executable, "-c", kCommand, "report", plan, "--html", options.reporting.report};
    if (runs.empty()) {
        words.emplace_back("--no-run");
    } else {
        words.insert(words.end(),
                     {"--profile", folder.write("profile.json", layerTimesAsJson(times)), "--times",
                      folder.write("times.json", timesAsJson(runs))});
    }
    if (int const code = runProgram(words); code != 0) {
        fail("[report] '{}' could not be made: the command kiln report ended with code {}; the "
             "lines above say why",
             options.reporting.report, code);
    }
    logger.info("Report: {}", options.reporting.report);
}

} // namespace kiln::trtexec
