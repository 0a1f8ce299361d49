// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_host/interpreter.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include <unistd.h>

#include "failure.h"
#include "python_host/process.h"

namespace kiln::trtexec {
namespace {

namespace fs = std::filesystem;

/// Prints an interpreter's version, its shared library and whether it has the package kiln. Checks
/// that the library exists, because some builds name one that is not installed.
constexpr char const* kProbe = R"(
import importlib.util, os, sys, sysconfig
sys.path = [p for p in sys.path if p]
get = sysconfig.get_config_var
folders = [get("LIBDIR"), os.path.join(sys.base_prefix, "lib")]
names = [name for name in (get("INSTSONAME"), get("LDLIBRARY")) if name and ".so" in name]
files = [os.path.join(folder, name) for folder in folders if folder for name in names]
print("version=%d.%d.%d" % sys.version_info[:3])
print("library=" + next((file for file in files if os.path.isfile(file)), ""))
print("kiln=" + ("yes" if importlib.util.find_spec("kiln") else "no"))
)";

struct Candidate {
    std::string origin; ///< source of the path, for messages
    std::string path;
};

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Searches PATH like a shell.
std::string onPath(std::string const& program) {
    if (program.find('/') != std::string::npos) {
        return program;
    }
    std::istringstream folders(variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string const file = (folder.empty() ? "." : folder) + "/" + program;
        if (::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) {
            return file;
        }
    }
    return {};
}

std::vector<Candidate> candidates(std::string const& library) {
    if (std::string const chosen = variable("KILN_PYTHON"); !chosen.empty()) {
        std::string const found = onPath(chosen);
        return {{"KILN_PYTHON", found.empty() ? chosen : found}};
    }
    std::vector<Candidate> list;
    if (std::string const environment = variable("VIRTUAL_ENV"); !environment.empty()) {
        list.push_back({"VIRTUAL_ENV", environment + "/bin/python"});
    }
    if (std::string const own = ownInterpreter(library); !own.empty()) {
        list.push_back({"beside trtexec", own});
    }
    if (std::string const found = onPath("python3"); !found.empty()) {
        list.push_back({"PATH", found});
    }
    return list;
}

/// The value of `key` in the output of the probe.
std::string answer(std::string const& text, std::string const& key) {
    std::istringstream lines(text);
    std::string value;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(key + "=", 0) == 0) {
            value = line.substr(key.size() + 1);
        }
    }
    return value;
}

/// Without a result, sets `reason`.
std::optional<Interpreter> probe(std::string const& path, std::string& reason) {
    std::optional<std::string> const text = captureOutput({path, "-c", kProbe});
    if (!text) {
        reason = "does not run, or is no Python 3";
        return std::nullopt;
    }
    if (answer(*text, "kiln") != "yes") {
        reason = "does not have the package kiln";
        return std::nullopt;
    }
    return Interpreter{path, answer(*text, "version"), answer(*text, "library")};
}

} // namespace

std::string ownInterpreter(std::string const& library) {
    for (fs::path folder = fs::path(library).parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        std::string const name = folder.filename();
        if (name == "site-packages" || name == "dist-packages") {
            fs::path const python =
                folder.parent_path().parent_path().parent_path() / "bin/python3";
            return fs::exists(python) ? python.string() : "";
        }
    }
    return {};
}

Interpreter findInterpreter(std::string const& library) {
    std::string tried;
    for (Candidate const& candidate : candidates(library)) {
        std::string reason;
        if (std::optional<Interpreter> found = probe(candidate.path, reason)) {
            return *found;
        }
        tried += fmt::format("\n  {} ({}) {}", candidate.path, candidate.origin, reason);
    }
    fail("[python] plugins in Python files: expected an interpreter with the package kiln, found "
         "none. Set KILN_PYTHON to one.{}",
         tried);
}

} // namespace kiln::trtexec
