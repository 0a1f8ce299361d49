# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A logger that tests read."""

import tensorrt as trt


class ListLogger(trt.ILogger):
    """Keeps every message."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def log(self, severity, msg):
        self.messages.append((severity, msg))

    def errors(self):
        """The text of all errors."""
        return "\n".join(text for severity, text in self.messages if severity <= trt.ILogger.ERROR)

    def messages_text(self):
        """The text of all messages."""
        return "\n".join(text for _, text in self.messages)
