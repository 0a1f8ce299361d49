// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The Python names of enums that are not the C++ names, for signatures.
#pragma once

#include "enum_class.h"
#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <impl/NvInferPythonPlugin.h>

namespace kiln::python {

#define KILN_ENUM_NAME(Type, Name)                                                                 \
    template <>                                                                                    \
    struct EnumName<Type> {                                                                        \
        static constexpr auto value = py::detail::const_name("kiln._core." Name);                  \
    }

KILN_ENUM_NAME(nvinfer1::ILogger::Severity, "ILogger.Severity");
KILN_ENUM_NAME(nvinfer1::ErrorCode, "ErrorCodeTRT");

#undef KILN_ENUM_NAME

} // namespace kiln::python
