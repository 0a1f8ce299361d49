// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "api/builder_config.h"

namespace kiln::api {

/// What a configuration asks of the build of a network for a target. Throws kUnsupported, naming
/// each setting, where Kiln would build something with other results or without a promised
/// property; names settings that only tune, and that Kiln has no use for, in one message at kINFO.
void checkConfig(BuilderConfig const& config, nvinfer1::INetworkDefinition const& network,
                 std::string_view target, Log const& log);

} // namespace kiln::api
