// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The empty plugin as a library, for the Python side of the benchmark.
#include "empty_plugin.h"

REGISTER_TENSORRT_PLUGIN(EmptyCreator);
