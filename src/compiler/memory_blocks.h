// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::compiler {

/// Gives each internal tensor and each workspace a place in the arena, for the steps during which
/// it is in use. Memory of bodies lies in that of their parents: the bodies of a branch use the
/// same, and what a repeated body reads from outside stays until its last pass.
void placeTensors(plan::Document& document);

} // namespace kiln::compiler
