// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace kiln::trtexec {

struct Statistics {
    double min = 0;
    double max = 0;
    double mean = 0;
    double median = 0;
    std::vector<double> percentiles; ///< in the order of the arguments
};

/// The nearest-rank percentile of the `sorted` values.
double percentile(std::vector<double> const& sorted, double percent);

/// `values` must not be empty; `percents` are from 0 to 100.
Statistics summarize(std::vector<double> values, std::vector<double> const& percents);

} // namespace kiln::trtexec
