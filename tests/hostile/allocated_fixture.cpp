// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator new that counts is that of the fuzz targets.
#include "fuzz/allocated_bytes.cpp" // NOLINT(bugprone-suspicious-include)
