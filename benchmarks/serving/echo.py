# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The least that a deployment of Ray Serve does: it reads the body and returns fixed bytes."""

from kiln.serve.protocol.messages import ModelInferResponse
from ray import serve
from starlette.requests import Request
from starlette.responses import Response

# As Kiln's replicas: the code of the deployment runs on Ray Serve's own event loop.
_ONE_THREAD = {"env_vars": {"RAY_SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD": "0"}}


@serve.deployment(
    ray_actor_options={"num_cpus": 1, "runtime_env": _ONE_THREAD}, max_ongoing_requests=100
)
class Echo:
    """answer, message: as large as what the model answers over HTTP and gRPC."""

    def __init__(self, answer: bytes, message: bytes) -> None:
        self._answer, self._message = answer, message

    async def __call__(self, request: Request) -> Response:
        await request.body()
        return Response(self._answer, media_type="application/octet-stream")

    async def ModelInfer(self, request):
        return ModelInferResponse.FromString(self._message)
