// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "emulation/chance.h"

#include <cstdlib>

#include "emulation/emulation.h"

namespace kiln::emulation {
namespace {

/// Never destroyed: threads of the program may end after static objects.
Chance* seededBy(char const* variable) {
    char const* const text = std::getenv(variable);
    return text == nullptr ? nullptr : new Chance(std::strtoull(text, nullptr, 10));
}

Chance*& order() {
    static Chance* one = seededBy("KILN_EMULATION_ORDER");
    return one;
}

} // namespace

Chance* randomOrder() {
    return order();
}

Chance* randomTimes() {
    static Chance* const one = seededBy("KILN_EMULATION_TIMES");
    return one;
}

} // namespace kiln::emulation

void kilnEmulatedSetOrder(bool random, unsigned long long seed) {
    using namespace kiln::emulation;
    Call const call(__func__, Call::Needs::kNothing);
    delete order();
    order() = random ? new Chance(seed) : nullptr;
}
