// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "compat/forward.h"

KILN_FORWARD(void*, createNvOnnxParser_INTERNAL, (void* network, void* logger, int version),
             (network, logger, version))
KILN_FORWARD(void*, createNvOnnxParserRefitter_INTERNAL,
             (void* refitter, void* logger, int32_t version), (refitter, logger, version))
KILN_FORWARD(void*, createNvOnnxConfig_INTERNAL, (), ())
KILN_FORWARD(int, getNvOnnxParserVersion, (), ())
