# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A process in which Torch and CuPy are small modules that remember their current stream.

Prints "right" if plugins saw the engine's stream, and all streams were restored afterwards.
"""

import ctypes
import sys
import types

import kiln
import numpy as np
from cudalab import class_based, decorated
from device_memory import Stream
from list_logger import ListLogger


class TorchStream:
    def __init__(self, pointer, device=None):
        self.stream_id, self.device_index, self.device_type = pointer, device, 1


class Torch:
    """The part of torch that handles current streams."""

    def __init__(self):
        self.stream, self.calls = (0, 0, 1), []
        self.module = types.ModuleType("torch")
        self.module.cuda = types.SimpleNamespace(
            ExternalStream=TorchStream, default_stream=lambda device: TorchStream(0, device)
        )
        self.module._C = types.SimpleNamespace(
            _cuda_getCurrentRawStream=lambda device: self.stream[0],
            _cuda_getCurrentStream=lambda device: self.stream,
            _cuda_setStream=self.set_stream,
        )

    def set_stream(self, stream_id, device_index, device_type):
        self.calls.append(stream_id)
        self.stream = (stream_id, device_index, device_type)

    @property
    def pointer(self):
        return self.stream[0]

    def make_current(self, pointer):
        self.stream = (pointer, 0, 1)

    def changes(self, changes):
        """The changes of the current stream that go through Python functions of this Torch."""
        return changes


class NativeTorch(Torch):
    """Torch with the C functions of a library that is found by the name of Torch's library."""

    def __init__(self, library):
        super().__init__()
        self.library = ctypes.CDLL(library)
        self.current = ctypes.c_void_p.in_dll(self.library, "standInStream")
        self.guards = ctypes.c_int32.in_dll(self.library, "standInGuards")
        self.failure = ctypes.c_int32.in_dll(self.library, "standInFailure")

    @property
    def pointer(self):
        return self.stream[0] if self.failure.value else self.current.value or 0

    def make_current(self, pointer):
        super().make_current(pointer)
        self.current.value = pointer

    def changes(self, changes):
        assert self.guards.value == 0
        return changes if self.failure.value else []


class Cupy:
    """The part of cupy that handles current streams."""

    def __init__(self):
        owner = self

        class ExternalStream:
            def __init__(self, ptr, device_id=-1):
                self.ptr, self.device_id = ptr, device_id

            def use(self):
                owner.stream = self

            def __enter__(self):
                owner.stack.append(self)
                self.use()

            def __exit__(self, *exception):
                owner.stack.pop()
                owner.stack[-1].use()

        self.stream = ExternalStream(0)
        self.stack = [self.stream]
        self.made = ExternalStream
        self.module = types.ModuleType("cupy")
        self.module.cuda = types.SimpleNamespace(
            ExternalStream=ExternalStream, get_current_stream=lambda device: self.stream
        )

    @property
    def pointer(self):
        return self.stream.ptr

    def export(self):
        """The module that exports a C function to modules in Cython."""
        self.function = ctypes.CFUNCTYPE(ctypes.c_ssize_t)(lambda: self.pointer)
        self.type = ctypes.c_char_p(b"intptr_t (void)")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        capsule = new(ctypes.cast(self.function, ctypes.c_void_p), self.type, None)
        module = types.ModuleType("cupy_backends.cuda.stream")
        module.__pyx_capi__ = {"get_current_stream_ptr": capsule}
        return module


def main():
    kiln.set_default_target("cuda")
    libraries = [path for path in sys.argv[1:] if path.endswith(".so")]
    frameworks = torch, cupy = NativeTorch(*libraries) if libraries else Torch(), Cupy()
    seen = []

    def look(stream):
        seen.append((stream, torch.pointer, cupy.pointer))
        if stream in failing:
            raise ValueError("on purpose")

    def impl(x, outputs, stream):
        look(stream)

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        look(stream)

    failing = set()
    logger = ListLogger()
    runners = [decorated(logger, impl), class_based(logger, enqueue)]
    seen.clear()  # calls of the build
    for runner in runners:
        runner.bind(x=np.zeros((2, 3), np.float32))
    streams = [Stream(), Stream(), Stream(non_blocking=False)]

    def run(handle, before):
        """Runs each engine once on a stream; the current streams must be restored afterwards."""
        for runner in runners:
            seen.clear()
            well = runner.context.execute_async_v3(handle)
            assert well == (handle not in failing), logger.errors()
            yield seen[-1]
            assert [framework.pointer for framework in frameworks] == before

    # The frameworks are not imported: their streams stay.
    for found in run(streams[0].handle, [0, 0]):
        assert found == (streams[0].handle, 0, 0)

    sys.modules["torch"], sys.modules["cupy"] = torch.module, cupy.module
    if "failing" in sys.argv:
        torch.failure.value = 1
    if "exported" in sys.argv:
        sys.modules["cupy_backends.cuda.stream"] = cupy.export()
    mine = streams[2].handle
    for before in ([0, 0], [mine, mine]):
        torch.make_current(before[0])
        cupy.made(before[1], 0).use()  # as a program does without `with`
        for handle in (*(stream.handle for stream in streams), 0, streams[0].handle):
            torch.calls.clear()
            changes = []
            for found in run(handle, before):
                # Instead of stream 0, plugins get a stream of the context.
                given = handle or found[0]
                assert given and found == (given, given, given), (found, handle)
                changes += [] if given == before[0] else [given, before[0]]
            assert torch.calls == torch.changes(changes), (torch.calls, changes)
        failing.add(streams[1].handle)
        for found in run(streams[1].handle, before):
            assert found == (streams[1].handle,) * 3
        assert "on purpose" in logger.errors()
        failing.clear()
    print("right")


if __name__ == "__main__":
    main()
