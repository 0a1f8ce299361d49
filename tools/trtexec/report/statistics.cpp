// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::trtexec {

double percentile(std::vector<double> const& sorted, double percent) {
    auto const count = static_cast<double>(sorted.size());
    double const rank = std::ceil(percent / 100.0 * count);
    return sorted[static_cast<size_t>(std::clamp(rank, 1.0, count)) - 1];
}

Statistics summarize(std::vector<double> values, std::vector<double> const& percents) {
    std::sort(values.begin(), values.end());
    size_t const count = values.size();
    Statistics result;
    result.min = values.front();
    result.max = values.back();
    result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
    result.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    for (double const percent : percents) {
        result.percentiles.push_back(percentile(values, percent));
    }
    return result;
}

} // namespace kiln::trtexec
