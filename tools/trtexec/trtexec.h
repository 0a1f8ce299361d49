// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

extern "C" {

/// Logs one line; `severity` as in nvinfer1::ILogger::Severity.
using KilnTrtexecSay = void (*)(int severity, char const* text);

/// Imports a Python plugin file and registers its creators. Returns 0, or another number after it
/// has said why not.
using KilnTrtexecLoadPython = int (*)(char const* path, KilnTrtexecSay say);

/// Takes a module for the plan: its text, and three names (name, version, namespace) for each
/// plugin that it registers.
using KilnTrtexecTakeSource = void (*)(void* context, char const* module, char const* text,
                                       size_t size, char const* const* names, int pluginCount);

/// Checks a Python plugin file and gives it to `take`. Returns as KilnTrtexecLoadPython does.
using KilnTrtexecEmbedPython = int (*)(char const* path, KilnTrtexecTakeSource take, void* context,
                                       KilnTrtexecSay say);

/// What the interpreter that hosts trtexec does.
struct KilnTrtexecPython {
    KilnTrtexecLoadPython load;
    KilnTrtexecEmbedPython embed;
};

/// The whole program: arguments as main() gets them, result as main() returns it.
__attribute__((visibility("default"))) int kilnTrtexecMain(int argc, char** argv);

/// The rest of the program, inside a Python interpreter that kilnTrtexecMain has started for plugin
/// files written in Python: the same arguments again, and what is done with such a file.
__attribute__((visibility("default"))) int kilnTrtexecHosted(int argc, char** argv,
                                                             KilnTrtexecPython const* python);
}

namespace kiln::trtexec {

/// Both of the above; `python` is null outside a Python interpreter.
int runTrtexec(std::vector<std::string> const& arguments, KilnTrtexecPython const* python);

} // namespace kiln::trtexec
