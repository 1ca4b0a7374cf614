// SPDX-License-Identifier: Apache-2.0
// A fuzz target: SPIRV-Cross translates the variant of a mutated file to GLSL, HLSL and MSL. A
// refusal with an error is no failure; a crash, a hang or a report of a sanitiser is.
#include <refract/refract.h>
#include <spirv_cross/spirv_cross_c.h>

#include <cstring>
#include <vector>

namespace {

void Translate(const std::vector<uint32_t>& words, spvc_backend backend) {
  spvc_context context = nullptr;
  spvc_parsed_ir module = nullptr;
  spvc_compiler compiler = nullptr;
  const char* text = nullptr;
  if (spvc_context_create(&context) != SPVC_SUCCESS) return;
  if (spvc_context_parse_spirv(context, words.data(), words.size(), &module) == SPVC_SUCCESS &&
      spvc_context_create_compiler(context, backend, module, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                   &compiler) == SPVC_SUCCESS) {
    spvc_compiler_compile(compiler, &text);
  }
  spvc_context_destroy(context);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The trailer is not for the code under test.
  const size_t module = refract_mutated_module_size(data, size);
  if (module < 20 || module % 4 != 0) return 0;
  std::vector<uint32_t> words(module / 4);
  std::memcpy(words.data(), data, module);
  for (const spvc_backend backend : {SPVC_BACKEND_GLSL, SPVC_BACKEND_HLSL, SPVC_BACKEND_MSL}) {
    Translate(words, backend);
  }
  return 0;
}
