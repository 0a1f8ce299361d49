// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Python plugins stored in a plan as source: whole modules, which run when the plan is loaded, if
// the user allows it.
//
// Python programs call kiln.embed_python_plugins(), which checks each module in a clean process
// first, and kiln.allow_python_source().
#pragma once

#include "NvInfer.h"

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! A plugin that a module registers. Strings are null-terminated UTF-8.
struct PythonSourcePlugin {
    char const* name;
    char const* version;
    char const* space; //!< the plugin namespace
};

//! One module.
struct PythonSource {
    char const* name; //!< module name for import: letters, digits, '_'; null-terminated
    char const* text; //!< contents of the file, `size` bytes
    std::size_t size;
    PythonSourcePlugin const* plugins; //!< 1 or more
    int32_t pluginCount;
};

//! Adds a module to plans built with a configuration. Text and names are copied.
//!
//! \return false, with the reason in the log of the configuration's builder, when a name or the
//!     text is empty, the module registers nothing, or another text was added under its name.
//!     Adding the same module again has no effect.
bool addPythonSource(nvinfer1::IBuilderConfig& config, PythonSource const& source) noexcept;

//! Sets whether plans that this runtime loads may run the Python source in them. Default: the value
//! of setPythonSourceAllowedByDefault() when the runtime was created.
//!
//! A module runs while a plan is loaded, if the plan needs one of its plugins and that plugin is
//! not registered. Allow it only for plans that you trust as much as a program.
void setPythonSourceAllowed(nvinfer1::IRuntime& runtime, bool allowed) noexcept;
bool getPythonSourceAllowed(nvinfer1::IRuntime const& runtime) noexcept;

//! Sets the default for runtimes created later in this process, for programs that do not create
//! their runtimes themselves. Default: false.
void setPythonSourceAllowedByDefault(bool allowed) noexcept;

//! Runs a module, which registers its plugins. On failure, reports the reason with
//! kilnReportPluginError() and returns false.
using PythonSourceRunner = bool (*)(PythonSource const& source);

//! Sets the function that runs modules; importing the Python package installs one. nullptr: modules
//! cannot run.
void setPythonSourceRunner(PythonSourceRunner runner) noexcept;

} // namespace kiln

#pragma GCC visibility pop
