// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API as macros.
#pragma once

#include "kiln/api/version.h"
