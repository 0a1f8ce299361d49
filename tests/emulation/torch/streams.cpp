// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Torch's C functions around the current stream: each returns 0 for success. The current stream
// and the count of guards that live are there to be looked at.
#include <cstdint>

extern "C" {

void* standInStream = nullptr;
int32_t standInGuards = 0;
int32_t standInFailure = 0; // what the functions that can fail return

int32_t aoti_torch_get_current_cuda_stream(int32_t /*device*/, void** stream) {
    *stream = standInStream;
    return standInFailure;
}

int32_t aoti_torch_create_cuda_stream_guard(void* stream, int32_t /*device*/, void** guard) {
    if (standInFailure == 0) {
        *guard = new void* {standInStream};
        standInStream = stream;
        ++standInGuards;
    }
    return standInFailure;
}

int32_t aoti_torch_delete_cuda_stream_guard(void* guard) {
    auto* const before = static_cast<void**>(guard);
    standInStream = *before;
    delete before;
    --standInGuards;
    return 0;
}
}
