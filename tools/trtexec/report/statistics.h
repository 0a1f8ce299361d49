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
    std::vector<double> percentiles; ///< in the order asked for
};

/// The value that `percent` per cent of the `sorted` values do not exceed (nearest rank).
double percentile(std::vector<double> const& sorted, double percent);

/// `values` must not be empty; `percents` are from 0 to 100.
Statistics summarize(std::vector<double> values, std::vector<double> const& percents);

} // namespace kiln::trtexec
