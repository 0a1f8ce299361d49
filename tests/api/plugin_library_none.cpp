// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A library that is no plugin library.
extern "C" int answer() {
    return 42;
}
