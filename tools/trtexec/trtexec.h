// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

extern "C" {

/// Logs one line; `severity` as in nvinfer1::ILogger::Severity.
using KilnTrtexecSay = void (*)(int severity, char const* text);

/// Imports a Python plugin file and registers its creators. Returns 0, or another number after it
/// has said why not.
using KilnTrtexecLoadPython = int (*)(char const* path, KilnTrtexecSay say);

/// The whole program: arguments as main() gets them, result as main() returns it.
__attribute__((visibility("default"))) int kilnTrtexecMain(int argc, char** argv);

/// The rest of the program, inside a Python interpreter that kilnTrtexecMain has started for plugin
/// files written in Python: the same arguments again, and the function that imports such a file.
__attribute__((visibility("default"))) int kilnTrtexecHosted(int argc, char** argv,
                                                             KilnTrtexecLoadPython load);
}

namespace kiln::trtexec {

/// Both of the above; `load` is null outside a Python interpreter.
int runTrtexec(std::vector<std::string> const& arguments, KilnTrtexecLoadPython load);

} // namespace kiln::trtexec
