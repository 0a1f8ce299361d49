// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A library without plugins.
extern "C" int answer() {
    return 42;
}
