// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// What --dumpRefit, --refitFromOnnx and --timeRefit ask for. Fails if the engine takes no weights.
void refit(nvinfer1::ICudaEngine& engine, Options const& options, Logger& logger);

} // namespace kiln::trtexec
