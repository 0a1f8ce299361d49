# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln under the name that programs import.

``tensorrt``, ``tensorrt.plugin`` and ``tensorrt.tensorrt`` become the very same module objects as
Kiln's, so that a class is one class whatever name it was reached by. This file's own module is
dropped as soon as it is imported.
"""

import kiln

kiln.install_as_tensorrt()
