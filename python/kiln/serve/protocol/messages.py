# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The classes of gRPC's messages, made of the compiled open_inference.proto.

They live in a pool of descriptors of their own: a client library that registers messages of the
same names in the same process does not collide with them. Messages can be pickled.
"""

from typing import Any

from google.protobuf import descriptor_pool, json_format, message_factory

from kiln.serve.protocol.open_inference_descriptor import DESCRIPTOR

_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(DESCRIPTOR)

FILE = _pool.FindFileByName("open_inference.proto")
SERVICE = FILE.services_by_name["GRPCInferenceService"]


def _class(name: str) -> Any:
    found: Any = message_factory.GetMessageClass(FILE.message_types_by_name[name])
    found.__module__ = __name__  # where pickle finds it
    return found


ModelInferRequest = _class("ModelInferRequest")
ModelInferResponse = _class("ModelInferResponse")
ModelStreamInferResponse = _class("ModelStreamInferResponse")

# The classes by name. pickle finds each as an attribute of this module.
CLASSES: "dict[str, Any]" = {
    name: globals().get(name) or _class(name) for name in FILE.message_types_by_name
}
globals().update(CLASSES)


def message(name: str, value: "dict[str, Any] | None" = None) -> Any:
    """A message with the fields of a JSON value; those that it does not have are left out."""
    made = CLASSES[name]()
    return json_format.ParseDict(value, made, ignore_unknown_fields=True) if value else made
