// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Sound models that together use every kind of operator, to start mutations from.
std::vector<std::string> soundOnnxModels();

/// Models that once ended the process or took its memory.
std::vector<std::string> hostileOnnxModels();
