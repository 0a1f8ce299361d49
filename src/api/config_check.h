// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "api/builder_config.h"

namespace kiln::api {

/// Checks a configuration for building a network for a target. Throws kUnsupported, naming all such
/// settings, if Kiln would change results or break a promised property. Settings that only tune and
/// have no effect are named in one message at kINFO.
void checkConfig(BuilderConfig const& config, nvinfer1::INetworkDefinition const& network,
                 std::string_view target, Log const& log);

} // namespace kiln::api
