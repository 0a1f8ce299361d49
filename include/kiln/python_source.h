// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins in Python that travel in a plan as source: whole modules, run where the plan is opened,
// if the user allows it.
//
// Python programs call kiln.embed_python_plugins(), which checks each module in a clean process
// first, and kiln.allow_python_source().
#pragma once

#include "NvInfer.h"

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! A plugin that a module registers. Zero-terminated UTF-8.
struct PythonSourcePlugin {
    char const* name;
    char const* version;
    char const* space; //!< the plugin namespace
};

//! One module.
struct PythonSource {
    char const* name; //!< that it is imported by: letters, digits, '_'; zero-terminated
    char const* text; //!< the file's bytes, `size` of them
    std::size_t size;
    PythonSourcePlugin const* plugins; //!< 1 or more
    int32_t pluginCount;
};

//! Adds a module to the plans that are built with a configuration. Text and names are copied.
//!
//! \return false, with the reason in the log of the configuration's builder, when a name or the
//! text
//!     is empty, the module registers nothing, or another text was added under its name. The same
//!     module twice is one.
bool addPythonSource(nvinfer1::IBuilderConfig& config, PythonSource const& source) noexcept;

//! Whether plans that this runtime opens may run the Python source that they carry. Default: false,
//! or what setPythonSourceAllowedByDefault() said when the runtime was made.
//!
//! A module runs while a plan is opened, if the plan needs a plugin of it that is not registered.
//! Allow it for plans that you trust as you trust a program.
void setPythonSourceAllowed(nvinfer1::IRuntime& runtime, bool allowed) noexcept;
bool getPythonSourceAllowed(nvinfer1::IRuntime const& runtime) noexcept;

//! The same for runtimes that are made from now on in this process; for programs whose runtimes are
//! made by others. Default: false.
void setPythonSourceAllowedByDefault(bool allowed) noexcept;

//! Runs a module, so that its plugins get registered. Returns false after it has said why not with
//! kilnReportPluginError().
using PythonSourceRunner = bool (*)(PythonSource const& source);

//! What runs modules; the Python package installs one when it is imported. nullptr: nothing does.
void setPythonSourceRunner(PythonSourceRunner runner) noexcept;

} // namespace kiln

#pragma GCC visibility pop
