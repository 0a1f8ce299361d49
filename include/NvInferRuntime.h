// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that is needed to run engines and to write plugins. NvInfer.h adds what is needed to
// build them.
//
// What holds everywhere unless a function says otherwise:
// - Functions do not throw. One that fails says why in the logger and the error recorder and
//   returns false, nullptr, -1 or a shape with nbDims -1.
// - Texts are zero-terminated UTF-8. A text that is passed in is copied. A text that is returned
//   belongs to the object and stays valid until the property changes or the object goes away.
// - What a create function returns, the caller deletes, and before the object that created it.
// - Device memory is memory of the target: of the GPU on cuda, of the host on cpu.
// - Several threads may use one object through const functions; anything else, one at a time.
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
