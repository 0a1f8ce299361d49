// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/kernel_texts.h"

#include "base/error.h"

namespace kiln::targets::cuda {

char const* kernelText(std::string_view name) {
    for (KernelText const& file : kernelTexts()) {
        if (name == file.name) {
            return file.text;
        }
    }
    fail(ErrorKind::kInternal,
         "[cuda] expected a file of kernels/, got '{}'. Report this as a defect of Kiln.", name);
}

} // namespace kiln::targets::cuda
