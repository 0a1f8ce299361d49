// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Sound models with loops, branches, functions and sequences.
std::vector<std::string> soundControlModels();

/// Models whose graphs and functions lie in each other, or stand for millions of nodes.
std::vector<std::string> hostileControlModels();
