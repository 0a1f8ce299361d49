# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over gRPC.

``InferenceService`` answers the calls with the models of a deployment. It works behind a plain
grpc.aio server and in Ray Serve, whose replicas call its methods with a context of their own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc

from kiln._messages import message as with_code
from kiln.serve import shortcut
from kiln.serve.call import CURRENT, Call
from kiln.serve.observer import Observer
from kiln.serve.protocol import contents, describe, pages, wire
from kiln.serve.protocol.messages import (
    CLASSES,
    SERVICE,
    ModelInferResponse,
    ModelStreamInferResponse,
    message,
)
from kiln.serve.protocol.statistics import Statistics
from kiln.serve.protocol.unsupported import check_control, unsupported
from kiln.serve.request import InferRequest, InferResult, RequestError
from kiln.serve.signature import Signature

if TYPE_CHECKING:
    from kiln.serve.models import Models

STREAM_WINDOW = 32  # requests of one stream that run at a time
_UNSUPPORTED = {
    "SystemSharedMemory": "systemsharedmemory",
    "CudaSharedMemory": "cudasharedmemory",
    "TraceSetting": "trace",
    "LogSettings": "logging",
}

_log = logging.getLogger("kiln.serve")


class InferenceService:
    """The methods of the service. Each takes a message and a context, and gives a message.

    models: started by the caller. statistics, name, model_control: as in asgi.App. A call that
    fails sets code and details in its context and gives an empty message, which gRPC drops: so Ray
    Serve hands both on as they are.
    """

    def __init__(
        self,
        models: "Models",
        *,
        statistics: "Statistics | None" = None,
        name: str = "kiln",
        model_control: bool = False,
    ) -> None:
        self.models = models
        self.name = name
        self._control = model_control
        self._observer: Observer = getattr(models, "observer", None) or Observer()
        watching = getattr(self._observer, "observer", self._observer)  # behind its guard
        self._statistics = statistics or getattr(watching, "statistics", None) or Statistics()
        self._answers = wire.Answers()

    async def _reply(
        self, method: str, context: Any, answer: "Callable[[], Awaitable[Any]]"
    ) -> Any:
        """The answer, or an empty message with the error in the context."""
        token = CURRENT.set(_call(context))
        try:
            return await answer()
        except Exception as error:
            _fail(context, error, method)
            return CLASSES[SERVICE.methods_by_name[method].output_type.name]()
        finally:
            CURRENT.reset(token)

    async def ServerLive(self, request: Any, context: Any) -> Any:
        """Whether the server answers."""
        return message("ServerLiveResponse", {"live": True})

    async def ServerReady(self, request: Any, context: Any) -> Any:
        """Whether all models are ready."""
        return message("ServerReadyResponse", {"ready": self.models.ready()})

    async def ModelReady(self, request: Any, context: Any) -> Any:
        """Whether one model is ready."""
        ready = self.models.ready(request.name, request.version)
        return message("ModelReadyResponse", {"ready": ready})

    async def ServerMetadata(self, request: Any, context: Any) -> Any:
        """Name, version and extensions."""
        return message("ServerMetadataResponse", describe.server(self.name))

    async def ModelMetadata(self, request: Any, context: Any) -> Any:
        """Names, types and shapes of a model."""

        async def answer() -> Any:
            model = await self.models.get(request.name, request.version)
            return message("ModelMetadataResponse", describe.metadata(model))

        return await self._reply("ModelMetadata", context, answer)

    async def ModelConfig(self, request: Any, context: Any) -> Any:
        """The model configuration."""

        async def answer() -> Any:
            model = await self.models.get(request.name, request.version)
            return message("ModelConfigResponse", {"config": describe.config(model)})

        return await self._reply("ModelConfig", context, answer)

    async def ModelStatistics(self, request: Any, context: Any) -> Any:
        """Counts and times of one model, or of all."""

        async def answer() -> Any:
            if request.name:
                await self.models.get(request.name, request.version)
            self.models.tell()
            found = self._statistics.of(request.name, request.version)
            return message("ModelStatisticsResponse", found)

        return await self._reply("ModelStatistics", context, answer)

    async def RepositoryIndex(self, request: Any, context: Any) -> Any:
        """The models with their state."""
        found = describe.index(self.models, request.ready)
        return message("RepositoryIndexResponse", {"models": found})

    async def RepositoryModelLoad(self, request: Any, context: Any) -> Any:
        """Loads a model of the deployment."""

        async def answer() -> Any:
            check_control(self._control, "load")
            pages.refuse_load_options(dict(request.parameters))
            await self.models.load(request.model_name)
            return message("RepositoryModelLoadResponse")

        return await self._reply("RepositoryModelLoad", context, answer)

    async def RepositoryModelUnload(self, request: Any, context: Any) -> Any:
        """Unloads a model."""

        async def answer() -> Any:
            check_control(self._control, "unload")
            await self.models.unload(request.model_name)
            return message("RepositoryModelUnloadResponse")

        return await self._reply("RepositoryModelUnload", context, answer)

    async def ModelInfer(self, request: Any, context: Any) -> Any:
        """Runs a model."""
        quick = self.models.shortcuts.get(request.head) if type(request) is wire.Request else None
        token = None
        try:
            if quick is not None:
                answer = quick.answer(request.data, context.invocation_metadata())
                if answer is not None:
                    return wire.Response(answer)
            token = CURRENT.set(_call(context))
            return self._answers.render(*await self._infer(request, context))
        except Exception as error:
            _fail(context, error, "ModelInfer")
            return ModelInferResponse()
        finally:
            if token is not None:
                CURRENT.reset(token)

    async def _infer(
        self, request: Any, context: Any
    ) -> "tuple[InferResult, dict[str, int], Signature]":
        """What contents.render takes."""
        head = request.head if type(request) is wire.Request else None
        said = head or request
        name, version = said.model_name, said.model_version
        try:
            model = await self.models.get(name, version)
            signature = model.signature
            if head is not None and head.signature is signature:
                parsed, counts = head.request(request.data), head.counts
            else:
                head = None
                parsed, counts = self._parsed(request, signature)
        except RequestError as error:
            self._observer.request_refused(name, version, error)
            raise
        left = _time_left_ms(context)
        if left is not None and (parsed.timeout_ms is None or left < parsed.timeout_ms):
            parsed.timeout_ms = left
        result = await model.infer(parsed)
        if head is not None and not counts:
            self._shorten(head, model, parsed, result)
        return result, counts, signature

    def _shorten(
        self, head: wire.Head, model: Any, request: InferRequest, result: InferResult
    ) -> None:
        """Looks for a shortcut for the requests that come after one."""
        found = shortcut.find(model, request, head.places, _call_of)
        if found is None:
            return
        first, entries, _ = self._answers.frame(result, model.signature)
        parts = [first + entries[0], *entries[1:]]
        self.models.shorten(head, shortcut.Framed(found, head.size, parts))

    @staticmethod
    def _parsed(request: Any, signature: Signature) -> "tuple[InferRequest, dict[str, int]]":
        if type(request) is not wire.Request:
            return contents.parse(request, signature)
        parsed, counts = contents.parse(request.message, signature)
        request.keep(signature, parsed, counts)
        return parsed, counts

    async def ModelStreamInfer(
        self, requests: "AsyncIterator[Any]", context: Any
    ) -> "AsyncIterator[Any]":
        """Runs a model for each request of a stream; the answers keep the order.

        Up to STREAM_WINDOW requests are in work at a time, so that they share batches. A request
        that fails gets its error as its answer, and the stream goes on.
        """
        CURRENT.set(_call(context))
        waiting: asyncio.Queue[asyncio.Task[Any] | None] = asyncio.Queue(STREAM_WINDOW)
        tasks: set[asyncio.Task[Any]] = set()

        async def read() -> None:
            try:
                async for request in requests:
                    task = asyncio.ensure_future(self._streamed(request, context))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                    await waiting.put(task)
            except Exception:  # not if cancelled: then nobody takes from the queue
                await waiting.put(None)
                raise
            await waiting.put(None)

        reader = asyncio.ensure_future(read())
        try:
            while (task := await waiting.get()) is not None:
                yield await task
            await reader
        finally:
            reader.cancel()
            for task in list(tasks):
                task.cancel()

    async def _streamed(self, request: Any, context: Any) -> Any:
        try:
            response = contents.render(*await self._infer(request, context))
        except Exception as error:
            answer = ModelStreamInferResponse(error_message=_text(error, "ModelStreamInfer"))
            answer.infer_response.id = request.id
            return answer
        if request.parameters["triton_enable_empty_final_response"].bool_param:
            response.parameters["triton_final_response"].bool_param = True
        return ModelStreamInferResponse(infer_response=response)

    async def _refused(self, what: str, method: str, context: Any) -> Any:
        async def answer() -> Any:
            raise unsupported(what)

        return await self._reply(method, context, answer)


def _refuser(method: str, what: str) -> Any:
    async def refused(self: InferenceService, request: Any, context: Any) -> Any:
        return await self._refused(what, method, context)

    refused.__name__ = method
    refused.__doc__ = f"Refused: this server has no {what}."
    return refused


for _method in SERVICE.methods_by_name:
    for _prefix, _what in _UNSUPPORTED.items():
        if _method.startswith(_prefix):
            setattr(InferenceService, _method, _refuser(_method, _what))


def _call(context: Any) -> Call:
    return _call_of(context.invocation_metadata())


def _call_of(metadata: Any) -> Call:
    """What the metadata of a call say."""
    found = dict(metadata or ())
    return Call(
        "grpc",
        found.get("request_id") or found.get("x-request-id", ""),
        found.get("traceparent", ""),
        found.get("tracestate", ""),
    )


def _time_left_ms(context: Any) -> "float | None":
    """Until the client gives up; None if it has all time, or the context does not know."""
    left = getattr(context, "time_remaining", lambda: None)()
    return None if left is None else max(0.0, left * 1000.0)


def _text(error: Exception, method: str) -> str:
    if isinstance(error, RequestError):
        return str(error)
    _log.error("[protocol] %s failed", method, exc_info=error)
    return with_code(f"[protocol] the request failed: {type(error).__name__}: {error}")


def _fail(context: Any, error: Exception, method: str) -> None:
    """Puts an error into the context of a call."""
    status = error.grpc_status if isinstance(error, RequestError) else "INTERNAL"
    context.set_code(grpc.StatusCode[status])
    context.set_details(_text(error, method))
    retry_after = error.retry_after if isinstance(error, RequestError) else None
    if retry_after is not None:
        before = tuple(context.trailing_metadata() or ())
        context.set_trailing_metadata((*before, ("retry-after", str(max(1, round(retry_after))))))


def add_GRPCInferenceServiceServicer_to_server(servicer: Any, server: Any) -> None:
    """Registers the methods of a servicer at a gRPC server, also of Ray Serve's proxy."""
    handlers = {}
    for method in SERVICE.methods:
        streams = method.name == "ModelStreamInfer"
        make = grpc.stream_stream_rpc_method_handler if streams else None
        make = make or grpc.unary_unary_rpc_method_handler
        read, write = (
            CLASSES[method.input_type.name].FromString,
            CLASSES[method.output_type.name].SerializeToString,
        )
        if method.name == "ModelInfer":
            read, write = wire.received, wire.serialized
        handlers[method.name] = make(
            getattr(servicer, method.name), request_deserializer=read, response_serializer=write
        )
    generic = grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)
    server.add_generic_rpc_handlers((generic,))
    server.add_registered_method_handlers(SERVICE.full_name, handlers)
