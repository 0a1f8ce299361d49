// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "logger.h"
#include "options/options.h"
#include "run/measure.h"

namespace kiln::trtexec {

/// Prints the averages over groups of runs and the performance summary. `runs` is not empty.
void reportPerformance(std::vector<Query> const& runs, ReportingOptions const& options,
                       Logger& logger);

/// "min = 1 ms, max = 2 ms, mean = ..., percentile(90%) = 2 ms"
std::string statisticsText(std::vector<double> values, std::vector<double> const& percents);

/// The runs as a JSON list of objects.
std::string timesAsJson(std::vector<Query> const& runs);

} // namespace kiln::trtexec
