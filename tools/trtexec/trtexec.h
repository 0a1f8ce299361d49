// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

extern "C" {

/// Logs one line; `severity` as in nvinfer1::ILogger::Severity.
using KilnTrtexecSay = void (*)(int severity, char const* text);

/// Imports a Python plugin file and registers its creators. Returns 0 for success; otherwise it has
/// logged the reason.
using KilnTrtexecLoadPython = int (*)(char const* path, KilnTrtexecSay say);

/// Receives a module for the plan: its text, and three strings (name, version, namespace) for each
/// plugin that it registers.
using KilnTrtexecTakeSource = void (*)(void* context, char const* module, char const* text,
                                       size_t size, char const* const* names, int pluginCount);

/// Checks a Python plugin file and passes it to `take`. Returns the same as KilnTrtexecLoadPython.
using KilnTrtexecEmbedPython = int (*)(char const* path, KilnTrtexecTakeSource take, void* context,
                                       KilnTrtexecSay say);

/// Callbacks of the Python interpreter that hosts trtexec.
struct KilnTrtexecPython {
    KilnTrtexecLoadPython load;
    KilnTrtexecEmbedPython embed;
};

/// The complete program: arguments and result as for main().
__attribute__((visibility("default"))) int kilnTrtexecMain(int argc, char** argv);

/// Runs the program inside the Python interpreter that kilnTrtexecMain started for plugin files in
/// Python. Takes the same arguments and the callbacks for such files.
__attribute__((visibility("default"))) int kilnTrtexecHosted(int argc, char** argv,
                                                             KilnTrtexecPython const* python);
}

namespace kiln::trtexec {

/// Implements both functions above; `python` is null outside a Python interpreter.
int runTrtexec(std::vector<std::string> const& arguments, KilnTrtexecPython const* python);

} // namespace kiln::trtexec
