// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API that these headers declare. The version of Kiln itself is in
// kiln/version.h. Macros only, so that C files and other preprocessors can read it.
#pragma once

// The version numbers, under the names that build scripts search for.
#define TRT_MAJOR_ENTERPRISE 10
#define TRT_MINOR_ENTERPRISE 16
#define TRT_PATCH_ENTERPRISE 1
#define TRT_BUILD_ENTERPRISE 11

//! Incremented when code for earlier versions may not compile.
#define NV_TENSORRT_MAJOR TRT_MAJOR_ENTERPRISE
//! Incremented when names are added.
#define NV_TENSORRT_MINOR TRT_MINOR_ENTERPRISE
//! Incremented for fixes.
#define NV_TENSORRT_PATCH TRT_PATCH_ENTERPRISE
//! Build number of a release.
#define NV_TENSORRT_BUILD TRT_BUILD_ENTERPRISE

// Version of a long-term release; all 0 if there is none.
#define NV_TENSORRT_LWS_MAJOR 0
#define NV_TENSORRT_LWS_MINOR 0
#define NV_TENSORRT_LWS_PATCH 0

// Release types, and the type of this release.
#define NV_TENSORRT_RELEASE_TYPE_EARLY_ACCESS 0
#define NV_TENSORRT_RELEASE_TYPE_RELEASE_CANDIDATE 1
#define NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY 2
#define NV_TENSORRT_RELEASE_TYPE NV_TENSORRT_RELEASE_TYPE_GENERAL_AVAILABILITY

//! The version as one number, for comparisons: 10.16.1 is 101601. Valid in #if.
#define NV_TENSORRT_VERSION_INT(major, minor, patch) ((major) * 10000L + (minor) * 100L + (patch))

//! The version of these headers as one number. createInferRuntime() and similar functions pass it
//! to the library, which refuses programs built with headers of a different major version.
#define NV_TENSORRT_VERSION                                                                        \
    NV_TENSORRT_VERSION_INT(NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH)
