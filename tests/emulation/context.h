// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::emulation {

/// Whether the device's context is current on the calling thread.
bool hasContext();

} // namespace kiln::emulation
