// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Sound models that together use every kind of operator, to start mutations from.
std::vector<std::string> soundOnnxModels();

/// Models that can end the process or exhaust its memory if they are trusted.
std::vector<std::string> hostileOnnxModels();
