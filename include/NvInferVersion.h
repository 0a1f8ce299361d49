// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_NVINFERVERSION_H
#define KILN_NVINFERVERSION_H

#include "kiln/api/version.h"

#endif // KILN_NVINFERVERSION_H
