// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PROFILER_H
#define KILN_API_PROFILER_H

#include "kiln/api/macros.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace v_1_0
{
class IProfiler
{
public:
    virtual void reportLayerTime(char const* layerName, float ms) noexcept = 0;
    virtual ~IProfiler() noexcept = default;
};
} // namespace v_1_0

using IProfiler = v_1_0::IProfiler;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PROFILER_H
