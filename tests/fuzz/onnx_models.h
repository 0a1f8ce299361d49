// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Sound models that together use every kind of operator, to start mutations from.
std::vector<std::string> soundOnnxModels();

/// Models with weights in "weights.bin", of 4096 bytes, beside them.
std::vector<std::string> modelsWithFiles();

/// Models that can end the process or exhaust its memory if they are trusted.
std::vector<std::string> hostileOnnxModels();
