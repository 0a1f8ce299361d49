// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Everything needed to run engines and to write plugins. NvInfer.h adds what is needed to build
// engines.
//
// Conventions, unless a function says otherwise:
// - Functions do not throw. On failure they report the reason to the logger and the error recorder
//   and return false, nullptr, -1 or a shape with nbDims -1.
// - Strings are null-terminated UTF-8. String arguments are copied. A returned string belongs to
//   the object and stays valid until the property changes or the object is destroyed.
// - The caller deletes the result of a create function before the object that created it.
// - Device memory is the memory of the target: GPU memory on cuda, host memory on cpu.
// - Several threads may call const functions of one object concurrently; all other calls must be
//   serialized.
#pragma once

#include "NvInferRuntimeCommon.h"

#include "kiln/api/allocators.h"
#include "kiln/api/debug_listener.h"
#include "kiln/api/dimension_expr.h"
#include "kiln/api/engine.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/engine_inspector.h"
#include "kiln/api/execution_context.h"
#include "kiln/api/host_memory.h"
#include "kiln/api/logger.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/optimization_profile.h"
#include "kiln/api/output_allocator.h"
#include "kiln/api/plugin_creator_v3.h"
#include "kiln/api/plugin_registrar.h"
#include "kiln/api/plugin_v2_dynamic_ext.h"
#include "kiln/api/plugin_v3_build.h"
#include "kiln/api/plugin_v3_core.h"
#include "kiln/api/plugin_v3_runtime.h"
#include "kiln/api/profiler.h"
#include "kiln/api/refitter.h"
#include "kiln/api/runtime.h"
#include "kiln/api/runtime_config.h"
#include "kiln/api/runtime_enums.h"
#include "kiln/api/serialization_config.h"
#include "kiln/api/streams.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/tensor_format.h"
#include "kiln/api/weights.h"
