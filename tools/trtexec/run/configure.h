// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// Applies the build options, except shapes and timing cache, to the builder configuration. Throws
/// a Failure that names the option if the configuration refuses it.
void configure(nvinfer1::IBuilderConfig& config, Options const& options, PythonFiles const& python);

} // namespace kiln::trtexec
