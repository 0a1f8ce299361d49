// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// initLibNvInferPlugins: the entry point of the plugin library.
#pragma once

#include "kiln/api/macros.h"

//! Registers the plugins of libkiln_plugin with getPluginRegistry().
//!
//! \param logger an nvinfer1::ILogger*, for messages of the plugin registry while there is no
//!     builder or runtime; it must live until it is replaced or the process ends. nullptr keeps the
//!     current logger; without any, such messages go to standard error.
//! \param libNamespace the namespace to register them in, "" for the default.
//!
//! \return true if all plugins are registered, including by an earlier call. Thread-safe; may be
//!     called repeatedly.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* libNamespace);
