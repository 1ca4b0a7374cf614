#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# OSS-Fuzz calls this in the image of the Dockerfile. $REFRACT is where that put the library (for a dry run).
refract=${REFRACT:-/opt/refract}

# The optimiser under test, with feedback and sanitisers. CFLAGS and CXXFLAGS come from OSS-Fuzz.
python3 utils/git-sync-deps
cmake -S . -B "$WORK/build" -G Ninja -D SPIRV_SKIP_TESTS=ON -D SPIRV_SKIP_EXECUTABLES=ON \
  -D SPIRV_WERROR=OFF -D CMAKE_BUILD_TYPE=RelWithDebInfo
ninja -C "$WORK/build" SPIRV-Tools-opt

# librefract.so has its own SPIRV-Tools, without feedback, and shows no symbol of it.
$CC $CFLAGS -I"$refract/include" -c "$SRC/libfuzzer_mutator.c" -o "$WORK/mutator.o"
$CXX $CXXFLAGS -std=c++17 -Iinclude -I"$refract/include" "$SRC/spirv_opt_fuzzer.cpp" "$WORK/mutator.o" \
  "$WORK/build/source/opt/libSPIRV-Tools-opt.a" "$WORK/build/source/libSPIRV-Tools.a" \
  -L"$refract/lib" -lrefract -Wl,-rpath,'$ORIGIN/lib' -Wl,-rpath-link,"$refract/lib" \
  $LIB_FUZZING_ENGINE -o "$OUT/spirv_opt_fuzzer"

mkdir -p "$OUT/lib"
cp -L "$refract"/lib/*.so.* "$OUT/lib/"
zip -q -j "$OUT/spirv_opt_fuzzer_seed_corpus.zip" "$refract"/seeds/*.spv
printf '[libfuzzer]\nmax_len = 1000000\n' > "$OUT/spirv_opt_fuzzer.options"
