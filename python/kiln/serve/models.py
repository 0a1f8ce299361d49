# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The models of a replica: loaded when they are needed, within a limit of memory."""

import asyncio
import functools
import time
from typing import Any

from kiln.serve import plans, plugins, shortcut
from kiln.serve.config import ModelConfig, ServeConfig
from kiln.serve.deferred import Deferred
from kiln.serve.model import Model
from kiln.serve.observer import Observer
from kiln.serve.plans import PlanFile
from kiln.serve.request import LoadError, NotFoundError, OverloadedError, RequestError

# How long a request waits for memory that other models are using.
_PATIENCE_S = 10.0


class Entry:
    """One model of the configuration."""

    def __init__(self, config: ModelConfig, plan: PlanFile) -> None:
        self.config, self.plan = config, plan
        self.model: Model | None = None
        self.loading: asyncio.Task[Model] | None = None
        self.reserved = 0  # bytes, while the model is loading
        self.measured = 0  # bytes, when it was loaded last
        self.unloaded = False  # by the user: it comes back with load() only

    @property
    def need(self) -> int:
        """Bytes that the model will take: before its first load, what its plan tells."""
        context = int(self.plan.description.get("device_memory_bytes", 0))
        told = self.plan.path.stat().st_size + context * (self.config.workers or 1)
        return max(told, self.measured)


class Models:
    """The models of a configuration. All methods belong to one event loop."""

    def __init__(self, config: ServeConfig, observer: "Observer | None" = None) -> None:
        self.config = config
        self.observer = Deferred(observer) if observer is not None else None
        # By what a protocol knows of a request before it looks for the model.
        self.shortcuts: dict[Any, shortcut.Framed] = {}
        self._entries: dict[str, Entry] = {}
        self._room = asyncio.Lock()  # one model at a time looks for room
        self._closing = False

    async def start(self) -> None:
        """Checks every model, and loads all if there is no limit of memory.

        Raises LoadError with the reason of each model that cannot be served.
        """
        found = await asyncio.gather(
            *(asyncio.to_thread(_found, config) for config in self.config.models),
            return_exceptions=True,
        )
        problems = [str(error) for error in found if isinstance(error, BaseException)]
        for config, plan in zip(self.config.models, found, strict=True):
            if isinstance(plan, BaseException):
                continue
            if plan.name in self._entries:
                problems.append(
                    f"[serve] models: expected different names, got '{plan.name}' twice. Set name."
                )
                continue
            entry = self._entries[plan.name] = Entry(config, plan)
            limit = self.config.memory_limit
            if limit is not None and entry.need > limit:
                problems.append(
                    f"[serve] model '{plan.name}': it needs {entry.need} bytes, and memory_limit "
                    f"is {limit}."
                )
        problems += _thread_problems(list(self._entries.values()))
        if not problems and self.config.memory_limit is None:
            loads = (self._load(entry) for entry in self._entries.values())
            results = await asyncio.gather(*loads, return_exceptions=True)
            problems = [str(error) for error in results if isinstance(error, BaseException)]
        if problems:
            await self.close()
            raise LoadError("\n".join(problems))

    def tell(self) -> None:
        """Tells the observer of the requests that ended a moment ago; before it is read."""
        if self.observer is not None:
            self.observer.flush()

    def names(self) -> list[str]:
        """The names of all models, in the order of the configuration."""
        return list(self._entries)

    def loaded(self) -> list[Model]:
        """The models that are in memory."""
        return [entry.model for entry in self._entries.values() if entry.model is not None]

    def ready(self, name: "str | None" = None, version: str = "") -> bool:
        """Whether a model, or without a name every model, can answer requests.

        With a limit of memory a model is ready if a request may load it. Models that were unloaded
        count only by their names.
        """
        if name is None:
            wanted = (known for known, entry in self._entries.items() if not entry.unloaded)
            return not self._closing and all(map(self.ready, wanted))
        entry = self._entries.get(name)
        if entry is None or self._closing or entry.unloaded:
            return False
        if version and version != entry.plan.version:
            return False
        if entry.model is None:
            return self.config.memory_limit is not None
        return entry.model.ready()

    async def get(self, name: str, version: str = "") -> Model:
        """A model that is ready for requests; loads it if necessary.

        Raises NotFoundError, LoadError, or OverloadedError while other models use the memory.
        """
        entry = self._entry(name)
        if version and version != entry.plan.version:
            raise NotFoundError(
                f"[serve] model '{name}': expected version {entry.plan.version}, which is served, "
                f"got '{version}'."
            )
        if self._closing or entry.unloaded:
            raise OverloadedError(f"[serve] model '{name}' is not loaded. Load it, or try later.")
        model = entry.model
        if model is None:
            model = await self._load(entry)
        model.last_used = time.monotonic()
        return model

    def shorten(self, key: Any, framed: shortcut.Framed) -> None:
        """Keeps a shortcut until its model is unloaded."""
        if len(self.shortcuts) >= shortcut.MOST:
            self.shortcuts.clear()
        self.shortcuts[key] = framed

    def _entry(self, name: str) -> Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise NotFoundError(
                f"[serve] model: expected one of {', '.join(self._entries) or 'none'}, got "
                f"'{name}'."
            )
        return entry

    async def load(self, name: str) -> None:
        """Loads a model, also one that was unloaded. Raises as get does."""
        entry = self._entry(name)
        entry.unloaded = False
        if entry.model is None:
            await self._load(entry)

    async def unload(self, name: str) -> None:
        """Gives the memory of a model back once its requests are done; load brings it back."""
        entry = self._entry(name)
        entry.unloaded = True
        await self._drop(entry)

    async def _load(self, entry: Entry) -> Model:
        """Loads a model; several requests wait for one load, and each learns of its failure."""
        if entry.loading is None:
            entry.loading = asyncio.ensure_future(self._load_once(entry))
        # A client that goes away must not stop the load that others wait for.
        return await asyncio.shield(entry.loading)

    async def _load_once(self, entry: Entry) -> Model:
        try:
            async with self._room:
                await self._make_room(entry)
                entry.reserved = entry.need
            start = time.perf_counter()
            model = await asyncio.to_thread(Model.load, entry.config, entry.plan)
            model.watch(self.observer)
            model.again = functools.partial(self.get, model.name)
            entry.model, entry.measured = model, model.memory
            await self._shrink(entry)
            if self.observer is not None:
                seconds = time.perf_counter() - start
                self.observer.model_loaded(model.name, model.version, model.memory, seconds)
            return model
        except RequestError:
            raise
        except Exception as error:
            raise LoadError(
                f"[serve] model '{entry.plan.name}' cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
        finally:
            entry.loading, entry.reserved = None, 0

    async def _make_room(self, entry: Entry) -> None:
        """Unloads models that were not used for longest until the model fits."""
        limit = self.config.memory_limit
        if limit is None:
            return
        until = time.monotonic() + _PATIENCE_S
        while self._used(entry) + entry.need > limit:
            if await self._drop_oldest(entry):
                continue
            if time.monotonic() >= until:
                raise OverloadedError(
                    f"[serve] model '{entry.plan.name}': the models in use leave no room for it "
                    f"(it needs {entry.need} bytes, memory_limit is {limit}). Try again later."
                )
            await asyncio.sleep(0.01)

    async def _shrink(self, entry: Entry) -> None:
        """After the first load of a model, whose buffers its plan does not tell."""
        limit = self.config.memory_limit
        while limit is not None and self._used(entry) + entry.measured > limit:
            if not await self._drop_oldest(entry):
                return

    async def _drop_oldest(self, besides: Entry) -> bool:
        """Unloads the model that was not used for longest; False if all others are in use."""
        idle = [
            entry
            for entry in self._entries.values()
            if entry is not besides and entry.model is not None and not entry.model.inside
        ]
        if idle:
            await self._drop(min(idle, key=_last_used))
        return bool(idle)

    def _used(self, besides: Entry) -> int:
        return sum(
            max(entry.model.memory, entry.need) if entry.model is not None else entry.reserved
            for entry in self._entries.values()
            if entry is not besides
        )

    async def _drop(self, entry: Entry) -> None:
        if entry.loading is not None:
            await asyncio.wait([entry.loading])
        model, entry.model = entry.model, None
        if model is None:
            return
        await model.close()
        for key in [k for k, framed in self.shortcuts.items() if framed.model is model]:
            del self.shortcuts[key]
        if self.observer is not None:
            self.tell()
            self.observer.model_unloaded(model.name, model.version)

    async def close(self) -> None:
        """Refuses new requests, waits for those inside, and unloads all models."""
        self._closing = True
        await asyncio.gather(*(self._drop(entry) for entry in self._entries.values()))
        self.tell()


def _thread_problems(entries: "list[Entry]") -> list[str]:
    """Why the models cannot share a process: the threads of runs on the CPU are those of all."""
    wanted = [entry for entry in entries if entry.config.threads is not None]
    for entry in wanted[1:]:
        first = wanted[0]
        if entry.config.threads != first.config.threads:
            return [
                f"[serve] threads: expected one number for all models of a deployment, got "
                f"{first.config.threads} for '{first.plan.name}' and {entry.config.threads} for "
                f"'{entry.plan.name}'. Set the same, or deploy them apart."
            ]
    return []


def _last_used(entry: Entry) -> float:
    return entry.model.last_used if entry.model is not None else 0.0


def _found(config: ModelConfig) -> PlanFile:
    """The plan of a model, whose plugins are there."""
    plan = plans.find(config)
    plugins.load(config, plan)
    return plan
