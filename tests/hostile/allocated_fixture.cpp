// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Counts allocations with the operator new of the fuzz targets.
#include "fuzz/allocated_bytes.cpp" // NOLINT(bugprone-suspicious-include)
