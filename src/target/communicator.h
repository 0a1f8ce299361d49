// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::target {

/// The communicator between devices, an ncclComm_t, of the context that this thread runs; null:
/// none. Kernels of collective operations read it when they are launched.
void* currentCommunicator() noexcept;

/// Sets it for a scope.
class CommunicatorScope {
public:
    explicit CommunicatorScope(void* communicator) noexcept;
    ~CommunicatorScope();
    CommunicatorScope(CommunicatorScope const&) = delete;
    CommunicatorScope& operator=(CommunicatorScope const&) = delete;

private:
    void* before_;
};

} // namespace kiln::target
