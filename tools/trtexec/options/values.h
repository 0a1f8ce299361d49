// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include <NvInfer.h>

#include "options/options.h"
#include "options/words.h"

namespace kiln::trtexec {

// Each function parses the complete value of one option, or throws a Failure that names the option.

/// An integer of at least `least`.
int64_t parseCount(std::string_view option, std::string_view text, int64_t least);
/// A finite number of 0 or more.
double parseAmount(std::string_view option, std::string_view text);
/// "90,95,99": numbers from 0 to 100.
std::vector<double> parsePercentiles(std::string_view option, std::string_view text);
/// An integer from `least` to `most`.
int64_t parseCountUpTo(std::string_view option, std::string_view text, int64_t least, int64_t most);
/// "-2", "-1", "25%", "64M": as --weightStreamingBudget takes it. Suffix B (the default), K, M or
/// G.
WeightBudget parseWeightBudget(std::string_view option, std::string_view text);
/// "workspace:64M,tacticSharedMem:1K": stores the limits in bytes in `pools`. Suffix B, K, M (the
/// default) or G.
void parseMemoryPools(std::string_view option, std::string_view text,
                      std::map<nvinfer1::MemoryPoolType, size_t>& pools);

} // namespace kiln::trtexec
