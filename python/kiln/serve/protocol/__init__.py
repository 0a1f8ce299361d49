# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol, version 2: over HTTP as an ASGI application, and over gRPC."""
