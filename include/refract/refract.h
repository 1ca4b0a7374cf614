/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of Refract's library. docs/library.md explains it by example.
 *
 * ERRORS. A function that can fail returns a refract_status, and its last parameter `message`
 * receives a text that says what is wrong and where; without an error it receives null. `message`
 * may be null. Free the text with refract_text_free. No exception and no signal crosses this
 * interface; but a fault of Refract itself (a failed internal check) aborts the process.
 *
 * MEMORY. Each kind of object has one function that frees it; null is allowed there. What an
 * accessor of an object returns (const pointers) belongs to the object and lives as long. Inputs
 * are copied: none has to outlive the call.
 *
 * THREADS. Functions may be called from several threads at once, also on one object that none of
 * them frees: objects do not change after they are made. The library has no state that callers can
 * see. Callbacks are called in threads that their function describes, and must not throw.
 *
 * STRUCTS. Set the first field to sizeof the struct and all other fields to zero (REFRACT_INIT does
 * both); zero is the default of every field. Later versions only add fields at the end, so programs
 * that were compiled with this header work with later libraries of the same REFRACT_ABI.
 *
 * DETERMINISM. The same arguments and version give the same bytes on every machine.
 */
#ifndef REFRACT_REFRACT_H_
#define REFRACT_REFRACT_H_

#include <stddef.h>
#include <stdint.h>

/* The version of this header, which the build reads; refract_version() is that of the library. */
#define REFRACT_VERSION "1.0.0-rc1"
/* Changes when programs must be compiled again; refract_abi() is that of the library. */
#define REFRACT_ABI 1

#if defined(__GNUC__)
#define REFRACT_API __attribute__((visibility("default")))
#else
#define REFRACT_API
#endif

/* REFRACT_INIT(refract_fuzz_options, options); declares `options` with all defaults. */
#define REFRACT_INIT(type, name) type name = {.struct_size = sizeof(type)}

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t refract_status;
enum {
  REFRACT_OK = 0,
  REFRACT_BAD_INPUT = 1,    /* a module, recording or inputs that cannot be read or are invalid */
  REFRACT_BAD_ARGUMENT = 2, /* null, a size or an option that makes no sense */
  REFRACT_UNAVAILABLE = 3,  /* valid, but not supported: the message names what */
  REFRACT_FAULT = 4,        /* a fault of Refract, or no memory */
  REFRACT_NOT_INTERESTING = 5, /* refract_reduce: the callback refuses the variant itself */
  REFRACT_STOPPED = 6          /* a callback ended the work */
};

typedef struct refract_module refract_module;   /* a valid module with its inputs */
typedef struct refract_variant refract_variant; /* a variant with its recording */
typedef struct refract_run refract_run;         /* the result of an interpreted run */

/* The version of the library, such as "1.0.0", and its ABI number. */
REFRACT_API const char* refract_version(void);
REFRACT_API uint32_t refract_abi(void);
/* The name of a status, such as "bad input"; "unknown status" for other numbers. */
REFRACT_API const char* refract_status_name(refract_status status);
/* Frees a text that a function of this header gave. */
REFRACT_API void refract_text_free(char* text);

/* ---- Modules ---- */

typedef struct refract_module_options {
  size_t struct_size;
  const char* name;        /* what errors call the module; default "module" */
  const char* inputs;      /* the text of shader.json (docs/inputs.md); default: no inputs */
  const char* entry;       /* the entry point under test; default: the only one */
  const char* environment; /* such as "vulkan1.1" or "spv1.3"; default: fits the SPIR-V version */
  uint32_t latest_shapes;  /* not 0: as `refract fuzz --shapes latest` */
  /* Limit of spirv-val in seconds. 0: no limit. Otherwise a process that fork() makes validates the
   * module: for some small modules, spirv-val never ends or crashes. */
  uint32_t validator_seconds;
} refract_module_options;

/* Reads and validates a SPIR-V binary in the byte order of the machine. `size`: bytes, a multiple
 * of 4. `options` may be null. REFRACT_BAD_INPUT if the module is invalid or its inputs do not fit,
 * REFRACT_BAD_ARGUMENT if it has several entry points and none is chosen. */
REFRACT_API refract_status refract_module_load(const void* bytes, size_t size,
                                               const refract_module_options* options,
                                               refract_module** module, char** message);
REFRACT_API void refract_module_free(refract_module* module);
/* The words of the module, and their number in `count` (may be null). */
REFRACT_API const uint32_t* refract_module_words(const refract_module* module, size_t* count);
/* The entry point under test; "" for a module without entry points. */
REFRACT_API const char* refract_module_entry(const refract_module* module);
/* The environment for which the module is valid, such as "vulkan1.1". */
REFRACT_API const char* refract_module_environment(const refract_module* module);

/* Validates a SPIR-V binary with spirv-val, in this process. `environment` may be null: the
 * universal environment of its version. REFRACT_BAD_INPUT if it is invalid. */
REFRACT_API refract_status refract_validate(const void* bytes, size_t size, const char* environment,
                                            char** message);

/* ---- Variants: fuzz, replay, reduce ---- */

enum {
  REFRACT_FUZZ_ALL_PASSES = 1,       /* all fuzzer passes instead of a random subset */
  REFRACT_FUZZ_SELF_CHECK = 2,       /* the interpreter compares variant and original */
  REFRACT_FUZZ_EXECUTION_FACTS = 4,  /* facts from one interpreted run of the original */
  REFRACT_FUZZ_FLOAT_IDENTITIES = 8, /* docs/float-identities.md */
  REFRACT_FUZZ_UNVALIDATED = 16      /* do not run spirv-val on the variant */
};

typedef struct refract_fuzz_options {
  size_t struct_size;
  uint64_t seed;
  uint64_t max_words;        /* the largest variant, in words; default 16 times the original */
  uint32_t max_steps;        /* default 2000 */
  uint32_t flags;            /* REFRACT_FUZZ_... */
  const char* const* passes; /* names of transformations or families; default: random */
  size_t pass_count;
  const refract_module* const* donors; /* modules whose functions may be added */
  size_t donor_count;
} refract_fuzz_options;

/* Makes a variant of `module`, as `refract fuzz` does. `options` may be null (seed 0).
 * REFRACT_BAD_ARGUMENT for an unknown pass; REFRACT_FAULT if the variant is invalid. */
REFRACT_API refract_status refract_fuzz(const refract_module* module,
                                        const refract_fuzz_options* options,
                                        refract_variant** variant, char** message);

typedef struct refract_replay_options {
  size_t struct_size;
  const uint32_t* steps; /* apply only the steps with these numbers; default: all */
  size_t step_count;
  uint32_t first; /* apply only steps with numbers up to this; 0: all */
  uint32_t force; /* not 0: also if the recording is of another module or other inputs */
} refract_replay_options;

/* Applies the steps of a recording (the bytes of a .refract file, binary or text) to `module`,
 * which must be its original. Steps whose check fails are skipped (refract_variant_skipped).
 * REFRACT_BAD_INPUT for a damaged recording, or one of another module. */
REFRACT_API refract_status refract_replay(const refract_module* module, const void* recording,
                                          size_t size, const refract_replay_options* options,
                                          refract_variant** variant, char** message);

/* A candidate of a reduction. The pointers are valid during the callback. */
typedef struct refract_candidate {
  size_t struct_size;
  const uint32_t* words;
  size_t word_count;
  const char* inputs; /* the text of shader.json; null: no inputs */
} refract_candidate;

/* The interestingness test: 1 if the candidate still shows the failure, 0 if not, negative to end
 * the reduction with REFRACT_STOPPED. It should give the same answer for the same candidate. */
typedef int (*refract_interesting)(void* user, const refract_candidate* candidate);

typedef struct refract_reduce_options {
  size_t struct_size;
  uint32_t jobs;      /* tries at a time; 0 and 1: one. The result does not depend on it */
  uint32_t no_shrink; /* not 0: only leave out steps, do not make those that remain smaller */
} refract_reduce_options;

typedef struct refract_reduction {
  size_t struct_size;
  uint64_t tries;        /* calls of the interestingness test that the result is based on */
  uint64_t instructions; /* the size of the difference between original and variant */
  uint32_t steps;        /* steps that remain */
  uint32_t minimal;      /* 1: without any one of the steps, the variant is not interesting */
  uint32_t original_interesting; /* 1: the original is interesting too */
} refract_reduction;

/* Finds the few steps of a recording with which the variant is still interesting
 * (docs/reducing.md). `test` is called with `user` in threads of the library, at most
 * options->jobs at a time. The first candidates are the variant and the original.
 * `reduction` may be null. REFRACT_NOT_INTERESTING if the variant is not interesting. */
REFRACT_API refract_status refract_reduce(const refract_module* module, const void* recording,
                                          size_t size, const refract_reduce_options* options,
                                          refract_interesting test, void* user,
                                          refract_variant** variant, refract_reduction* reduction,
                                          char** message);

REFRACT_API void refract_variant_free(refract_variant* variant);
/* The words of the variant, and their number in `count` (may be null). */
REFRACT_API const uint32_t* refract_variant_words(const refract_variant* variant, size_t* count);
/* The recording as the bytes of a .refract file, and their number in `size` (may be null). */
REFRACT_API const void* refract_variant_recording(const refract_variant* variant, size_t* size);
/* The text of shader.json for the variant; null if it has no inputs. */
REFRACT_API const char* refract_variant_inputs(const refract_variant* variant);
/* The number of applied steps, and of steps that a replay skipped. */
REFRACT_API size_t refract_variant_steps(const refract_variant* variant);
REFRACT_API size_t refract_variant_skipped(const refract_variant* variant);

/* ---- The interpreter (docs/interpreter.md) ---- */

typedef struct refract_run_options {
  size_t struct_size;
  uint64_t max_steps;     /* executed instructions of all invocations; default 2^36 */
  uint64_t max_memory;    /* bytes for one batch of invocations; default 2^30 */
  uint64_t shuffle_seed;  /* not 0: the invocations run in a random order */
  uint64_t perturb_seed;  /* not 0: approximate results change within their error bounds */
  uint32_t subgroup_size; /* a power of two from 4 to 128; default 32 */
  uint32_t seconds;       /* time limit; 0: none */
  uint32_t zero_inputs;   /* not 0: inputs that are read but not given are zero, not an error */
} refract_run_options;

typedef int32_t refract_trap;
enum {
  REFRACT_TRAP_NONE = 0,      /* the run ended */
  REFRACT_TRAP_UNDEFINED = 1, /* undefined behaviour */
  REFRACT_TRAP_RACE = 2,      /* two invocations access the same memory, and one writes */
  REFRACT_TRAP_LIMIT = 3      /* steps, memory or time; the module is not at fault */
};

/* Runs the entry point of `module` on its inputs, in this thread. A trap is a result, not an error.
 * `options` may be null. REFRACT_UNAVAILABLE for modules that the interpreter does not support,
 * REFRACT_BAD_INPUT if an input is missing. */
REFRACT_API refract_status refract_interpret(const refract_module* module,
                                             const refract_run_options* options, refract_run** run,
                                             char** message);
REFRACT_API void refract_run_free(refract_run* run);
REFRACT_API refract_trap refract_run_trap(const refract_run* run);
/* What happened and where: "OpUDiv %12: division by zero"; "" without a trap. */
REFRACT_API const char* refract_run_trap_text(const refract_run* run);
/* 1 if no component of an output is undefined; 1 if all of them are exact as well. */
REFRACT_API int refract_run_defined(const refract_run* run);
REFRACT_API int refract_run_exact(const refract_run* run);
/* Executed instructions of all invocations. */
REFRACT_API uint64_t refract_run_steps(const refract_run* run);

typedef int32_t refract_output_kind;
enum {
  /* A colour target of a fragment shader; `binding` is its location. The depth target is the last
   * one, with the binding 0xffffffff, and the depth is the first of four components. */
  REFRACT_OUTPUT_TARGET = 0,
  REFRACT_OUTPUT_BUFFER = 1, /* a storage buffer after the run */
  REFRACT_OUTPUT_IMAGE = 2   /* a storage image after the run */
};

typedef struct refract_output {
  size_t struct_size;
  refract_output_kind kind;
  uint32_t set, binding;
  uint32_t format;        /* ImageFormat of SPIR-V (4: Rgba8, 1: Rgba32f); 0 for a buffer */
  uint32_t width, height; /* pixels; 0 for a buffer */
  uint32_t depth, layers; /* 1 for a target; 0 for a buffer */
  const uint8_t* bytes;   /* a buffer as it is; images by layer, slice and row from the top */
  size_t size;            /* of `bytes` */
  /* For each component of a target, byte of a buffer or texel of an image: 0 exact, 1 approximate,
   * 2 undefined. Null: all are exact. */
  const uint8_t* shadows;
  size_t shadow_count;
} refract_output;

/* The number of outputs: first the targets by location, then buffers, then images. */
REFRACT_API size_t refract_run_output_count(const refract_run* run);
/* Fills `output`, whose struct_size is set. REFRACT_BAD_ARGUMENT if there is no output `index`. */
REFRACT_API refract_status refract_run_output(const refract_run* run, size_t index,
                                              refract_output* output);

/* ---- Comparing images (docs/measurements/images.md) ---- */

/* 4 bytes (red, green, blue, alpha) for each pixel, row by row from the top, without padding. */
typedef struct refract_image {
  size_t struct_size;
  const uint8_t* pixels;
  uint32_t width, height; /* pixels, 1 to 16384 */
} refract_image;

typedef int32_t refract_rule;
enum {
  REFRACT_RULE_EXACT = 0,    /* any pixel differs */
  REFRACT_RULE_STABLE = 1,   /* a region of 16 pixels differs by more than 8 levels, or 0.1 % of all
                                pixels by more than 1 */
  REFRACT_RULE_SPATIAL = 2,  /* a place of the image looks different */
  REFRACT_RULE_HISTOGRAM = 3 /* the earth mover's distance is over 0.005 */
};

typedef struct refract_comparison {
  size_t struct_size;
  uint32_t agree;         /* 1: the images agree under the rule */
  uint32_t max;           /* largest difference in a channel, 0 to 255 */
  uint64_t pixels;        /* pixels that differ at all */
  uint64_t pixels_over_1; /* pixels with a channel that differs by more than 1 level */
  uint64_t region;        /* pixels of the largest 8-connected region of differing pixels */
  double emd;             /* earth mover's distance of the histograms, 0 to 255/256 */
  double rmse;            /* root of the mean squared difference, 0 to 255 */
  double chi2;            /* chi-square distance of the histograms, 0 to 1 */
} refract_comparison;

/* Compares two images; their order does not matter. Images of different sizes never agree: the
 * counts are then 0 and the other measures not a number. */
REFRACT_API refract_status refract_compare_images(const refract_image* a, const refract_image* b,
                                                  refract_rule rule, refract_comparison* comparison,
                                                  char** message);

/* ---- Checks of control flow ---- */

typedef int32_t refract_divergence;
enum {
  REFRACT_CONSTANT = 0,  /* the module gives the value */
  REFRACT_DRAW = 1,      /* the same in all invocations of a draw or dispatch */
  REFRACT_WORKGROUP = 2, /* the same in all invocations of a workgroup; and so on */
  REFRACT_SUBGROUP = 3,
  REFRACT_QUAD = 4,
  REFRACT_DIVERGENT = 5
};

/* The divergence of a value, or of the control flow that enters a block, for the id of its label
 * (docs/divergence.md). REFRACT_BAD_ARGUMENT for an id that the module does not define. */
REFRACT_API refract_status refract_divergence_of(const refract_module* module, uint32_t id,
                                                 refract_divergence* divergence, char** message);

typedef int32_t refract_flow_mode;
enum {
  REFRACT_FLOW_STRICT = 0,    /* as tools agree where the specification is unclear */
  REFRACT_FLOW_LETTER = 1,    /* word for word */
  REFRACT_FLOW_SPIRV_VAL = 2, /* as spirv-val 2023.1 */
  REFRACT_FLOW_OLDER = 3      /* as before revision 2 of SPIR-V 1.6 */
};

/* Checks the rules of structured control flow (docs/control-flow.md) in every function of a SPIR-V
 * binary, which need not be valid. `faults` receives the number of functions that break a rule, and
 * `report` (may be null) a line for each; free it with refract_text_free. */
REFRACT_API refract_status refract_check_flow(const void* bytes, size_t size,
                                              refract_flow_mode mode, size_t* faults, char** report,
                                              char** message);

/* ---- Transformations (docs/transformations.md) ---- */

typedef struct refract_transformation {
  size_t struct_size;
  const char* name;    /* "split_block" */
  const char* family;  /* "control" */
  const char* summary; /* one sentence */
} refract_transformation;

REFRACT_API size_t refract_transformation_count(void);
/* Fills `transformation`, whose struct_size is set. The texts live as long as the library.
 * REFRACT_BAD_ARGUMENT if there is no transformation `index`. */
REFRACT_API refract_status refract_transformation_at(size_t index,
                                                     refract_transformation* transformation);

/* ---- The mutator for other fuzzers (docs/mutator.md) ---- */

/* A mutated file is a variant, then its original and its recording as a trailer. A module without
 * trailer is an original.
 *
 * refract_mutate changes the file in data[0..size) by 1 to 3 more steps, in place, and returns the
 * new size in bytes, at most max_size. It returns 0, and leaves `data` unchanged, if the file is no
 * valid module, or if nothing that fits into max_size was found. refract_mutate is what
 * LLVMFuzzerCustomMutator needs. */
REFRACT_API size_t refract_mutate(uint8_t* data, size_t size, size_t max_size, uint32_t seed);
/* Writes to `out` the first file with functions of the second, or parts of them, added, and returns
 * the size, at most max_out_size. It returns 0 as refract_mutate does, and also if the second
 * module has no function that can be added. It is what LLVMFuzzerCustomCrossOver needs. */
REFRACT_API size_t refract_crossover(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                     size_t size2, uint8_t* out, size_t max_out_size,
                                     uint32_t seed);
/* The same with up to `max_steps` steps, at most 500; 0: 3. Small and large numbers are equally
 * likely. Larger ones are for targets that take milliseconds. A file has at most 500 steps, and its
 * variant at most 16 times the words of the original. A mutation leaves out its last steps if they
 * do not fit; if the first one does not, the file begins again with its original. */
REFRACT_API size_t refract_mutate_steps(uint8_t* data, size_t size, size_t max_size, uint32_t seed,
                                        uint32_t max_steps);
REFRACT_API size_t refract_crossover_steps(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                           size_t size2, uint8_t* out, size_t max_out_size,
                                           uint32_t seed, uint32_t max_steps);
/* The number of bytes of the module with which the file begins: all without the trailer. A fuzz
 * target gives only these to the code under test. It reads only the last bytes, and is quick. */
REFRACT_API size_t refract_mutated_module_size(const uint8_t* data, size_t size);

typedef struct refract_mutated {
  size_t struct_size;
  const uint8_t* variant; /* the three parts, as pointers into the file */
  size_t variant_size;
  const uint8_t* original;
  size_t original_size;
  const uint8_t* recording;
  size_t recording_size;
} refract_mutated;

/* Finds the parts of a mutated file. `parts` has its struct_size set. REFRACT_BAD_INPUT if the file
 * has no trailer or is damaged. */
REFRACT_API refract_status refract_mutated_parts(const uint8_t* data, size_t size,
                                                 refract_mutated* parts, char** message);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* REFRACT_REFRACT_H_ */
