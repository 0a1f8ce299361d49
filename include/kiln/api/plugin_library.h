// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// initLibNvInferPlugins: the entry point of the plugin library.
#pragma once

#include "kiln/api/macros.h"

//! Registers the plugins of libkiln_plugin with getPluginRegistry().
//!
//! \param logger an nvinfer1::ILogger*, for messages of the plugin registry while no builder,
//!     runtime or parser lives; it must live until another one is given, or until the process
//!     ends. nullptr leaves the present one; without one, such messages go to standard error.
//! \param libNamespace the namespace to register them in, "" for the usual one.
//!
//! \return true when all of them are registered, also when they were before. Any thread may call
//!     it, any number of times.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* libNamespace);
