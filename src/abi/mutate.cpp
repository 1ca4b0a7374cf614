// SPDX-License-Identifier: Apache-2.0
// The mutator, and the list of transformations.
#include <algorithm>
#include <cstring>

#include "abi/boundary.h"
#include "message/info.h"
#include "mutate/mutated_file.h"
#include "mutate/mutator.h"

using namespace refract;

namespace {

// Each thread has its own. Results do not depend on what it knows.
Mutator& ThisMutator() {
  thread_local Mutator mutator;
  return mutator;
}

std::string_view BytesAt(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

const uint8_t* Pointer(std::string_view part) {
  return reinterpret_cast<const uint8_t*>(part.data());
}

// Copies the file to `out` if there is one, and returns its size.
size_t Give(const std::optional<std::string>& file, uint8_t* out) {
  if (!file) return 0;
  std::memcpy(out, file->data(), file->size());
  return file->size();
}

// The lists of the library, as C strings. The views of MessageInfos end with a zero, because they
// are literals.
refract_transformation Described(const message::MessageInfo& info) {
  return {sizeof(refract_transformation), info.name.data(), info.family.data(),
          info.summary.data()};
}

}  // namespace

size_t refract_mutate(uint8_t* data, size_t size, size_t max_size, uint32_t seed) {
  return refract_mutate_steps(data, size, max_size, seed, 0);
}

size_t refract_mutate_steps(uint8_t* data, size_t size, size_t max_size, uint32_t seed,
                            uint32_t max_steps) {
  if (data == nullptr) return 0;
  size_t made = 0;
  Guarded(nullptr, [&]() -> refract_status {
    made = Give(ThisMutator().Mutate(BytesAt(data, size), max_size, seed, max_steps), data);
    return REFRACT_OK;
  });
  return made;
}

size_t refract_crossover(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                         uint8_t* out, size_t max_out_size, uint32_t seed) {
  return refract_crossover_steps(data1, size1, data2, size2, out, max_out_size, seed, 0);
}

size_t refract_crossover_steps(const uint8_t* data1, size_t size1, const uint8_t* data2,
                               size_t size2, uint8_t* out, size_t max_out_size, uint32_t seed,
                               uint32_t max_steps) {
  if (data1 == nullptr || data2 == nullptr || out == nullptr) return 0;
  size_t made = 0;
  Guarded(nullptr, [&]() -> refract_status {
    made = Give(ThisMutator().Crossover(BytesAt(data1, size1), BytesAt(data2, size2), max_out_size,
                                        seed, max_steps),
                out);
    return REFRACT_OK;
  });
  return made;
}

size_t refract_mutated_module_size(const uint8_t* data, size_t size) {
  return data == nullptr ? 0 : MutatedModuleSize(BytesAt(data, size));
}

refract_status refract_mutated_parts(const uint8_t* data, size_t size, refract_mutated* parts,
                                     char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (data == nullptr || parts == nullptr) return BadArgument("null argument", message);
    const std::optional<MutatedFile> file = SplitMutated(BytesAt(data, size));
    if (!file) return Fail(Error{"the file has no trailer, or is damaged"}, message);
    refract_mutated made = {};
    made.variant = Pointer(file->variant), made.variant_size = file->variant.size();
    made.original = Pointer(file->original), made.original_size = file->original.size();
    made.recording = Pointer(file->recording), made.recording_size = file->recording.size();
    if (!WriteStruct(made, parts)) return BadArgument("parts: wrong struct_size", message);
    return REFRACT_OK;
  });
}

size_t refract_transformation_count(void) {
  return message::MessageInfos().size();
}

refract_status refract_transformation_at(size_t index, refract_transformation* transformation) {
  if (transformation == nullptr || index >= message::MessageInfos().size()) {
    return REFRACT_BAD_ARGUMENT;
  }
  return WriteStruct(Described(message::MessageInfos()[index]), transformation)
             ? REFRACT_OK
             : REFRACT_BAD_ARGUMENT;
}
