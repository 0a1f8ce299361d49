// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// Hands what the command line says about the build to the builder's configuration, all but shapes
/// and timing cache. Throws a Failure that names the option when the configuration refuses it.
void configure(nvinfer1::IBuilderConfig& config, Options const& options, PythonFiles const& python);

} // namespace kiln::trtexec
