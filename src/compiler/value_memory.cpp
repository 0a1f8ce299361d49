// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/value_memory.h"

#include "compiler/control_steps.h"

namespace kiln::compiler {

ValueId memoryOf(Program const& program, ValueId value) {
    ValueId const shared = program.value(value).sharesWith;
    return shared == ValueId::kNone ? value : shared;
}

bool ownsMemory(Program const& program, ValueId value) {
    return program.value(value).isPrivate() && !entersBody(program, value);
}

} // namespace kiln::compiler
