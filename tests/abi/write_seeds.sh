#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the modules with which the corpora of fuzzers begin: write_seeds.sh FOLDER
set -eu
for donor in nested_ifs fixed_point float_curves bit_tricks; do
  glslangValidator -V --target-env vulkan1.1 --aml --amb -o "$1/$donor.spv" \
    "$(dirname "$0")/../../donors/$donor.frag" > /dev/null
done
