// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API that these headers declare. Programs test it to choose between releases of
// the API; the version of Kiln itself is in kiln/version.h. Macros only, so that a C file or the
// preprocessor of another language can read it.
#pragma once

// The numbers themselves, under the names that build scripts search for.
#define TRT_MAJOR_ENTERPRISE 10
#define TRT_MINOR_ENTERPRISE 16
#define TRT_PATCH_ENTERPRISE 1
#define TRT_BUILD_ENTERPRISE 11

//! Changes when code written for an earlier version may no longer compile.
#define NV_TENSORRT_MAJOR TRT_MAJOR_ENTERPRISE
//! Changes when names are added.
#define NV_TENSORRT_MINOR TRT_MINOR_ENTERPRISE
//! Changes with corrections.
#define NV_TENSORRT_PATCH TRT_PATCH_ENTERPRISE
//! Counts builds of one release.
#define NV_TENSORRT_BUILD TRT_BUILD_ENTERPRISE

// Version of a long-term release; all 0 where there is none.
#define NV_TENSORRT_LWS_MAJOR 0
#define NV_TENSORRT_LWS_MINOR 0
#define NV_TENSORRT_LWS_PATCH 0

// Kinds of release, and which kind this is.
#define NV_TENSORRT_RELEASE_TYPE_EARLY_ACCESS 0
#define NV_TENSORRT_RELEASE_TYPE_RELEASE_CANDIDATE 1
#define NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY 2
#define NV_TENSORRT_RELEASE_TYPE NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY

//! One number per version, in the order of the versions: 10.16.1 is 101601. Valid in #if.
#define NV_TENSORRT_VERSION_INT(major, minor, patch) ((major) * 10000L + (minor) * 100L + (patch))

//! The version of these headers as one number. createInferRuntime() and its like pass it to the
//! library, which refuses a program that was built with headers of another major version.
#define NV_TENSORRT_VERSION                                                                        \
    NV_TENSORRT_VERSION_INT(NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH)
