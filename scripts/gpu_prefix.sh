#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_prefix.sh [folder]: collects the build dependencies for a GPU server without access to package
# registries in a folder of a few MB (default: build-prefix): headers and libraries of Debian
# packages, and the header that flatc generates from the plan schema. Copy the tree and the folder
# to the server and run scripts/gpu_server.sh there. Needs a Debian or Ubuntu machine with the
# server's processor architecture.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:-build-prefix}")
packages=(libfmt-dev libfmt9 libflatbuffers-dev libxxhash-dev libprotozero-dev libcli11-dev
    nlohmann-json3-dev libgtest-dev libgmock-dev googletest)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
rm -rf "$folder"
mkdir -p "$folder/generated"
(cd "$work" && apt-get download -qq -o APT::Sandbox::User=root "${packages[@]}")
for package in "$work"/*.deb; do
    dpkg -x "$package" "$folder"
done
rm -rf "$folder/usr/share/doc" "$folder/usr/src"
find "$folder" -name 'libflatbuffers*' -type f -delete # only its headers are needed
find src -name '*.fbs' -exec flatc --cpp --scoped-enums -o "$folder/generated" {} +
printf '[prefix] %s: %s\n' "$folder" "$(du -sh "$folder" | cut -f1)"
