# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Provides Kiln as the module ``tensorrt``.

``tensorrt``, ``tensorrt.plugin`` and ``tensorrt.tensorrt`` become the same module objects as
Kiln's, so that classes are identical under both names. The module of this file is replaced as soon
as it is imported.
"""

import kiln

kiln.install_as_tensorrt()
