// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/communicator.h"

namespace kiln::target {
namespace {

thread_local void* current = nullptr;

} // namespace

void* currentCommunicator() noexcept {
    return current;
}

CommunicatorScope::CommunicatorScope(void* communicator) noexcept : before_(current) {
    current = communicator;
}

CommunicatorScope::~CommunicatorScope() {
    current = before_;
}

} // namespace kiln::target
