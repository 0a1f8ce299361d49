// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <NvInfer.h>

#include "logger.h"
#include "options/options.h"
#include "report/performance.h"
#include "run/layer_times.h"

namespace kiln::trtexec {

/// Makes the page of --report with `kiln report`, in a Python interpreter that has the package
/// kiln. Without one, a warning says which command makes it. `runs` are empty if there were none.
/// Throws a Failure if the page cannot be written.
void writePage(Options const& options, nvinfer1::ICudaEngine& engine, LayerTimes const& times,
               std::vector<Query> const& runs, Logger& logger);

} // namespace kiln::trtexec
