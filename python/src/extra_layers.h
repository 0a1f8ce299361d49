// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The functions of kiln/extra_layers.h.
#pragma once

#include <pybind11/pybind11.h>

namespace kiln::python {

/// Binds the layers beyond those of the API, and their enums. The classes of networks are bound
/// before.
void addExtraLayers(pybind11::module_& m);

} // namespace kiln::python
