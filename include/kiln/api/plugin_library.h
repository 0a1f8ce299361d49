// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// initLibNvInferPlugins: the entry point of the plugin library.
#pragma once

#include "kiln/api/macros.h"

//! Registers the plugins of libkiln_plugin with getPluginRegistry().
//!
//! \param logger an nvinfer1::ILogger*, for messages about the registration; may be nullptr.
//! \param libNamespace the namespace to register them in, "" for the usual one.
//!
//! \return true when all of them are registered, also when they were before. Any thread may call
//!     it, any number of times.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* libNamespace);
