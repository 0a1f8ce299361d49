# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of the demo: every plugin form, way in, way out and type, checked on real images."""
