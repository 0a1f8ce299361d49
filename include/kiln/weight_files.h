// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that stay in a mapped file until the network is built.
#pragma once

#include <NvInfer.h>

#pragma GCC visibility push(default)

namespace kiln {

//! Says that weights of a network lie in a mapped file, as the ONNX parser does.
//!
//! A build of the network fails, and names the file, if its content has changed since this call:
//! the weights would be those of another model. Removing or replacing the file is no change, since
//! the mapping keeps the old one.
//!
//! \param network the network, for whose life the path is kept.
//! \param path zero-terminated; copied. Call this right after the file was mapped.
//!
//! \return False if the file is not there, or without memory; the reason is in the log.
bool watchWeightFile(nvinfer1::INetworkDefinition& network, char const* path) noexcept;

} // namespace kiln

#pragma GCC visibility pop
