/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of include/refract/refract.h, compiled as C: each function, its errors, and structs of
 * other versions. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "modules.h"
#include "refract/refract.h"

/* True if there is a message that contains `part`; frees it. */
static int TakesMessage(char* message, const char* part) {
  const int found = message != NULL && strstr(message, part) != NULL;
  if (!found) fprintf(stderr, "message: %s\n", message == NULL ? "(null)" : message);
  refract_text_free(message);
  return found;
}

static refract_module* LoadSum(void) {
  REFRACT_INIT(refract_module_options, options);
  refract_module* module = NULL;
  char* message = NULL;
  options.name = "sum";
  options.inputs = kSumInputs;
  EXPECT(refract_module_load(kSumModule, sizeof(kSumModule), &options, &module, &message) ==
         REFRACT_OK);
  EXPECT(message == NULL);
  return module;
}

static void TestVersion(void) {
  EXPECT(strcmp(refract_version(), REFRACT_VERSION) == 0);
  EXPECT(refract_abi() == REFRACT_ABI);
  EXPECT(strcmp(refract_status_name(REFRACT_NOT_INTERESTING), "not interesting") == 0);
  EXPECT(strcmp(refract_status_name(77), "unknown status") == 0);
}

static void TestBadModules(void) {
  refract_module* module = NULL;
  char* message = NULL;
  uint32_t words[sizeof(kSumModule) / 4];
  REFRACT_INIT(refract_module_options, options);
  EXPECT(refract_module_load(NULL, 40, NULL, &module, &message) == REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "null"));
  EXPECT(refract_module_load(kSumModule, 21, NULL, &module, &message) == REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "21 bytes"));
  EXPECT(refract_module_load(kSumModule, sizeof(kSumModule), NULL, NULL, &message) ==
         REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "module is null"));
  EXPECT(refract_module_load(kSumModule, 400, NULL, &module, NULL) == REFRACT_BAD_INPUT);
  EXPECT(module == NULL);
  memcpy(words, kSumModule, sizeof(words));
  words[sizeof(words) / 4 - 1] = 0; /* OpFunctionEnd */
  EXPECT(refract_module_load(words, sizeof(words), NULL, &module, &message) == REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "module"));
  EXPECT(refract_validate(words, sizeof(words), NULL, NULL) == REFRACT_BAD_INPUT);
  EXPECT(refract_validate(kSumModule, sizeof(kSumModule), "vulkan1.1", NULL) == REFRACT_OK);
  EXPECT(refract_validate(kSumModule, sizeof(kSumModule), "vulkan9", &message) ==
         REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "vulkan9"));
  options.entry = "other";
  EXPECT(refract_module_load(kSumModule, sizeof(kSumModule), &options, &module, &message) ==
         REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "other"));
  options.entry = NULL;
  options.inputs = "{\"limit\": 3}";
  EXPECT(refract_module_load(kSumModule, sizeof(kSumModule), &options, &module, &message) ==
         REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "json"));
}

/* Structs of older and newer versions of the header. */
static void TestStructSizes(void) {
  struct {
    refract_fuzz_options known;
    uint64_t later;
  } newer;
  refract_module* module = LoadSum();
  refract_variant* variant = NULL;
  refract_transformation transformation;
  REFRACT_INIT(refract_fuzz_options, options);
  memset(&newer, 0, sizeof(newer));
  newer.known.struct_size = sizeof(newer);
  EXPECT(refract_fuzz(module, &newer.known, &variant, NULL) == REFRACT_OK);
  refract_variant_free(variant);
  newer.later = 1; /* an option that this library does not know */
  EXPECT(refract_fuzz(module, &newer.known, &variant, NULL) == REFRACT_BAD_ARGUMENT);
  EXPECT(variant == NULL);
  options.struct_size = offsetof(refract_fuzz_options, max_words); /* only the seed */
  options.flags = 0xffffffffu;
  EXPECT(refract_fuzz(module, &options, &variant, NULL) == REFRACT_OK);
  refract_variant_free(variant);
  options.struct_size = 0;
  EXPECT(refract_fuzz(module, &options, &variant, NULL) == REFRACT_BAD_ARGUMENT);
  transformation.struct_size = offsetof(refract_transformation, family);
  transformation.family = "unchanged";
  EXPECT(refract_transformation_at(0, &transformation) == REFRACT_OK);
  EXPECT(strcmp(transformation.family, "unchanged") == 0);
  transformation.struct_size = 1;
  EXPECT(refract_transformation_at(0, &transformation) == REFRACT_BAD_ARGUMENT);
  refract_module_free(module);
}

static void TestFuzzAndReplay(void) {
  refract_module* module = LoadSum();
  refract_variant *variant = NULL, *again = NULL;
  char* message = NULL;
  size_t words = 0, again_words = 0, bytes = 0;
  const uint32_t *made, *again_made;
  const void* recording;
  const char* passes[] = {"no_such_pass"};
  REFRACT_INIT(refract_fuzz_options, options);
  REFRACT_INIT(refract_replay_options, replay);
  options.seed = 5;
  options.max_steps = 60;
  options.flags = REFRACT_FUZZ_ALL_PASSES | REFRACT_FUZZ_SELF_CHECK;
  options.donors = (const refract_module* const*)&module;
  options.donor_count = 1;
  EXPECT(refract_fuzz(module, &options, &variant, &message) == REFRACT_OK);
  EXPECT(message == NULL);
  EXPECT(refract_variant_steps(variant) > 0);
  EXPECT(refract_variant_inputs(variant) != NULL);
  made = refract_variant_words(variant, &words);
  EXPECT(refract_validate(made, 4 * words, NULL, NULL) == REFRACT_OK);
  recording = refract_variant_recording(variant, &bytes);
  EXPECT(refract_replay(module, recording, bytes, NULL, &again, &message) == REFRACT_OK);
  EXPECT(refract_variant_skipped(again) == 0);
  again_made = refract_variant_words(again, &again_words);
  EXPECT(again_words == words && memcmp(again_made, made, 4 * words) == 0);
  refract_variant_free(again);
  replay.first = 1;
  EXPECT(refract_replay(module, recording, bytes, &replay, &again, NULL) == REFRACT_OK);
  EXPECT(refract_variant_steps(again) == 1);
  refract_variant_free(again);
  EXPECT(refract_replay(module, recording, bytes - 1, NULL, &again, &message) == REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "recording"));
  EXPECT(again == NULL);
  EXPECT(refract_replay(module, NULL, 0, NULL, &again, NULL) == REFRACT_BAD_ARGUMENT);
  options.passes = passes;
  options.pass_count = 1;
  EXPECT(refract_fuzz(module, &options, &again, &message) == REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "no_such_pass"));
  options.pass_count = 0;
  options.flags = 1u << 20;
  EXPECT(refract_fuzz(module, &options, &again, NULL) == REFRACT_BAD_ARGUMENT);
  EXPECT(refract_fuzz(NULL, NULL, &again, NULL) == REFRACT_BAD_ARGUMENT);
  EXPECT(refract_fuzz(module, NULL, NULL, NULL) == REFRACT_BAD_ARGUMENT);
  refract_variant_free(variant);
  refract_module_free(module);
}

/* Interesting: the module has the opcode at `user`. 0xffff gives up. */
static int HasOpcode(void* user, const refract_candidate* candidate) {
  const uint32_t opcode = *(const uint32_t*)user;
  size_t at = 5;
  if (opcode == 0xffff) return -1;
  while (at < candidate->word_count && (candidate->words[at] & 0xffff) != opcode) {
    at += candidate->words[at] >> 16;
  }
  return at < candidate->word_count;
}

static void TestReduce(void) {
  refract_module* module = LoadSum();
  refract_variant *variant = NULL, *small = NULL;
  char* message = NULL;
  size_t size = 0;
  uint32_t opcode = 254; /* OpReturnValue: in the original too */
  const void* recording;
  REFRACT_INIT(refract_fuzz_options, options);
  REFRACT_INIT(refract_reduction, reduction);
  refract_candidate original;
  options.flags = REFRACT_FUZZ_ALL_PASSES;
  options.max_steps = 100;
  memset(&original, 0, sizeof(original));
  original.words = refract_module_words(module, &original.word_count);
  EXPECT(HasOpcode(&opcode, &original) == 1);
  opcode = 245; /* OpPhi: not in the original */
  EXPECT(HasOpcode(&opcode, &original) == 0);
  do {
    refract_variant_free(variant);
    variant = NULL;
    ++options.seed;
    EXPECT(refract_fuzz(module, &options, &variant, NULL) == REFRACT_OK);
    original.words = refract_variant_words(variant, &original.word_count);
  } while (HasOpcode(&opcode, &original) == 0 && options.seed < 100);
  recording = refract_variant_recording(variant, &size);
  EXPECT(refract_reduce(module, recording, size, NULL, HasOpcode, &opcode, &small, &reduction,
                        &message) == REFRACT_OK);
  EXPECT(message == NULL);
  EXPECT(reduction.steps == refract_variant_steps(small));
  EXPECT(reduction.steps >= 1 && reduction.steps < refract_variant_steps(variant));
  EXPECT(reduction.minimal == 1 && reduction.original_interesting == 0 && reduction.tries > 1);
  original.words = refract_variant_words(small, &original.word_count);
  EXPECT(HasOpcode(&opcode, &original) == 1);
  refract_variant_free(small);
  opcode = 0xffff; /* the test gives up */
  EXPECT(refract_reduce(module, recording, size, NULL, HasOpcode, &opcode, &small, NULL,
                        &message) == REFRACT_STOPPED);
  EXPECT(TakesMessage(message, "ended"));
  opcode = 333; /* no instruction that a step makes */
  EXPECT(refract_reduce(module, recording, size, NULL, HasOpcode, &opcode, &small, NULL, NULL) ==
         REFRACT_NOT_INTERESTING);
  EXPECT(refract_reduce(module, recording, size, NULL, NULL, NULL, &small, NULL, NULL) ==
         REFRACT_BAD_ARGUMENT);
  refract_variant_free(variant);
  refract_module_free(module);
}

static void TestInterpret(void) {
  /* Sum(i, 10) + (i > 1 ? 100 : 0), computed by hand for i from 0 to 3 (modules.h). */
  static const uint32_t kExpected[4] = {1, 1, 100, 130};
  refract_module* module = LoadSum();
  refract_module* divide = NULL;
  refract_run* run = NULL;
  char* message = NULL;
  REFRACT_INIT(refract_output, output);
  REFRACT_INIT(refract_run_options, options);
  EXPECT(refract_module_load(kDivideModule, sizeof(kDivideModule), NULL, &divide, NULL) ==
         REFRACT_OK);
  EXPECT(refract_interpret(divide, NULL, &run, &message) == REFRACT_BAD_INPUT);
  EXPECT(TakesMessage(message, "limit")); /* is not given */
  options.zero_inputs = 1;
  EXPECT(refract_interpret(module, &options, &run, &message) == REFRACT_OK);
  EXPECT(refract_run_trap(run) == REFRACT_TRAP_NONE && *refract_run_trap_text(run) == '\0');
  EXPECT(refract_run_defined(run) == 1 && refract_run_exact(run) == 1);
  EXPECT(refract_run_steps(run) > 100);
  EXPECT(refract_run_output_count(run) == 1);
  EXPECT(refract_run_output(run, 0, &output) == REFRACT_OK);
  EXPECT(output.kind == REFRACT_OUTPUT_BUFFER && output.set == 0 && output.binding == 0);
  EXPECT(output.size == sizeof(kExpected) && output.shadows == NULL);
  EXPECT(memcmp(output.bytes, kExpected, sizeof(kExpected)) == 0);
  EXPECT(refract_run_output(run, 1, &output) == REFRACT_BAD_ARGUMENT);
  refract_run_free(run);
  options.max_steps = 50;
  EXPECT(refract_interpret(module, &options, &run, NULL) == REFRACT_OK);
  EXPECT(refract_run_trap(run) == REFRACT_TRAP_LIMIT && refract_run_exact(run) == 0);
  refract_run_free(run);
  options.subgroup_size = 5;
  EXPECT(refract_interpret(module, &options, &run, NULL) == REFRACT_BAD_ARGUMENT);
  options.subgroup_size = 0;
  options.max_steps = 0;
  EXPECT(refract_interpret(divide, &options, &run, NULL) == REFRACT_OK);
  EXPECT(refract_run_trap(run) == REFRACT_TRAP_UNDEFINED);
  EXPECT(strstr(refract_run_trap_text(run), "division by zero") != NULL);
  refract_run_free(run);
  refract_module_free(divide);
  refract_module_free(module);
}

static void TestImages(void) {
  uint8_t black[4 * 16] = {0}, white[4 * 16];
  refract_image a = {sizeof(refract_image), black, 4, 4};
  refract_image b = {sizeof(refract_image), white, 4, 4};
  REFRACT_INIT(refract_comparison, comparison);
  char* message = NULL;
  memset(white, 255, sizeof(white));
  EXPECT(refract_compare_images(&a, &a, REFRACT_RULE_EXACT, &comparison, &message) == REFRACT_OK);
  EXPECT(comparison.agree == 1 && comparison.pixels == 0 && comparison.rmse == 0);
  EXPECT(refract_compare_images(&a, &b, REFRACT_RULE_SPATIAL, &comparison, NULL) == REFRACT_OK);
  EXPECT(comparison.agree == 0 && comparison.pixels == 16 && comparison.max == 255);
  EXPECT(comparison.region == 16 && comparison.rmse == 255 && comparison.emd == 255.0 / 256);
  b.width = 2, b.height = 8;
  EXPECT(refract_compare_images(&a, &b, REFRACT_RULE_EXACT, &comparison, NULL) == REFRACT_OK);
  EXPECT(comparison.agree == 0 && comparison.rmse != comparison.rmse);
  b.pixels = NULL;
  EXPECT(refract_compare_images(&a, &b, 0, &comparison, &message) == REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "image b"));
  EXPECT(refract_compare_images(&a, &a, 9, &comparison, NULL) == REFRACT_BAD_ARGUMENT);
  EXPECT(refract_compare_images(&a, &a, 0, NULL, NULL) == REFRACT_BAD_ARGUMENT);
}

static void TestControlFlow(void) {
  refract_module* module = LoadSum();
  refract_divergence divergence = -1;
  uint32_t words[sizeof(kSumModule) / 4];
  size_t at = 5, faults = 9;
  char *report = NULL, *message = NULL;
  uint32_t label = 0, index = 0;
  memcpy(words, kSumModule, sizeof(words));
  for (; at < sizeof(words) / 4; at += words[at] >> 16) {
    const uint32_t opcode = words[at] & 0xffff;
    if (opcode == 59 && words[at + 3] == 1) index = words[at + 2];     /* the Input variable */
    if (opcode == 248 && label == 0) label = words[at + 1];            /* the first OpLabel */
    if (opcode == 61 && words[at + 3] == index) index = words[at + 2]; /* OpLoad of it */
  }
  EXPECT(refract_divergence_of(module, label, &divergence, &message) == REFRACT_OK);
  EXPECT(divergence <= REFRACT_DRAW);
  EXPECT(refract_divergence_of(module, index, &divergence, NULL) == REFRACT_OK);
  EXPECT(divergence == REFRACT_DIVERGENT);
  EXPECT(refract_divergence_of(module, 123456, &divergence, &message) == REFRACT_BAD_ARGUMENT);
  EXPECT(TakesMessage(message, "123456"));
  EXPECT(refract_check_flow(words, sizeof(words), REFRACT_FLOW_STRICT, &faults, &report, NULL) ==
         REFRACT_OK);
  EXPECT(faults == 0 && report == NULL);
  for (at = 5; at < sizeof(words) / 4; at += words[at] >> 16) {
    if ((words[at] & 0xffff) == 247) words[at + 1] = label; /* OpSelectionMerge: the entry block */
  }
  EXPECT(refract_check_flow(words, sizeof(words), REFRACT_FLOW_STRICT, &faults, &report, NULL) ==
         REFRACT_OK);
  EXPECT(faults > 0);
  EXPECT(TakesMessage(report, "merge"));
  EXPECT(refract_check_flow(words, sizeof(words), 8, &faults, NULL, NULL) == REFRACT_BAD_ARGUMENT);
  EXPECT(refract_check_flow(words, 12, 0, &faults, NULL, NULL) == REFRACT_BAD_INPUT);
  refract_module_free(module);
}

static void TestTransformations(void) {
  REFRACT_INIT(refract_transformation, transformation);
  const size_t count = refract_transformation_count();
  size_t i, found = 0;
  EXPECT(count > 50);
  for (i = 0; i < count; ++i) {
    EXPECT(refract_transformation_at(i, &transformation) == REFRACT_OK);
    /* Each text ends where it should: the names have no spaces. */
    EXPECT(strspn(transformation.name, "abcdefghijklmnopqrstuvwxyz_0123456789") ==
           strlen(transformation.name));
    EXPECT(strlen(transformation.summary) > 10 && strlen(transformation.family) > 0);
    found += strcmp(transformation.name, "split_block") == 0;
  }
  EXPECT(found == 1);
  EXPECT(refract_transformation_at(count, &transformation) == REFRACT_BAD_ARGUMENT);
}

int TestCInterface(void) {
  TestVersion();
  TestBadModules();
  TestStructSizes();
  TestFuzzAndReplay();
  TestReduce();
  TestInterpret();
  TestImages();
  TestControlFlow();
  TestTransformations();
  /* Null is allowed where objects are freed. */
  refract_module_free(NULL);
  refract_variant_free(NULL);
  refract_run_free(NULL);
  refract_text_free(NULL);
  return g_failures;
}
