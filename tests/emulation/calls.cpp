// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The start of every call: lock, current context, requested failures, a lost device.
#include <map>
#include <string>

#include "emulation/context.h"
#include "emulation/emulation.h"
#include "emulation/launch.h"

namespace kiln::emulation {
namespace {

struct Requested {
    CUresult result = CUDA_SUCCESS;
    int after = 0;
};

struct State {
    std::mutex mutex;
    CUresult lost = CUDA_SUCCESS;
    std::map<std::string, Requested> requested;
    std::map<std::string, unsigned long long> calls;
};

State& state() {
    static auto* const state = new State; // used by threads that outlive main
    return *state;
}

CUresult resultOf(char const* function, Call::Needs needs) {
    ++state().calls[function];
    auto const found = state().requested.find(function);
    if (found != state().requested.end() && found->second.after-- == 0) {
        CUresult const result = found->second.result;
        state().requested.erase(found);
        return result;
    }
    if (needs == Call::Needs::kNothing) {
        return CUDA_SUCCESS;
    }
    return hasContext() ? state().lost : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace

Call::Call(char const* function, Needs needs)
    : lock_(state().mutex), result_(resultOf(function, needs)) {}

void loseDevice(CUresult result) {
    state().lost = result;
}

CUresult lostWith() {
    return state().lost;
}

} // namespace kiln::emulation

using kiln::emulation::state;

void kilnEmulatedFail(char const* function, int result, int after) {
    std::lock_guard const lock(state().mutex);
    state().requested[function] = {static_cast<kiln::emulation::CUresult>(result), after};
}

void kilnEmulatedReset() {
    std::lock_guard const lock(state().mutex);
    state().requested.clear();
    state().lost = kiln::emulation::CUDA_SUCCESS;
    kiln::emulation::faultNextKernel(false);
}

void kilnEmulatedFaultNextKernel() {
    std::lock_guard const lock(state().mutex);
    kiln::emulation::faultNextKernel(true);
}

unsigned long long kilnEmulatedCalls(char const* function) {
    std::lock_guard const lock(state().mutex);
    return state().calls[function];
}
