// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::targets::cpu {

/// Interpolation points of tiles of 4 x 4. Their powers are exact, and the largest error is a fifth
/// of that with the usual 1 and 2 (1.3e-6 and 6.3e-6 for 64 channels).
constexpr float kWinogradNear = 0.625F;
constexpr float kWinogradFar = 1.5F;

} // namespace kiln::targets::cpu
