// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compat/forward.h"

KILN_FORWARD(bool, initLibNvInferPlugins, (void* logger, char const* libNamespace),
             (logger, libNamespace))
