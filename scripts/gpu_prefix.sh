#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_prefix.sh [folder]: gathers what Kiln's build needs and a GPU server without registries lacks
# into a folder of a few MB (default: build-prefix): headers and libraries of Debian packages, and
# the header that flatc makes of the plan's schema. Copy the tree and the folder to the server and
# run scripts/gpu_server.sh there. Needs a Debian or Ubuntu machine of the server's processor.
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
find "$folder" -name 'libflatbuffers*' -type f -delete # its headers are enough
find src -name '*.fbs' -exec flatc --cpp --scoped-enums -o "$folder/generated" {} +
printf '[prefix] %s: %s\n' "$folder" "$(du -sh "$folder" | cut -f1)"
