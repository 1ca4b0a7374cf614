// SPDX-License-Identifier: Apache-2.0
// The cases of the byte fuzzer. A damaged module, shader.json, recording, AmberScript or file of
// coverage goes through everything that reads it. The result must be good, or an error with file
// and place. A shader is a valid module, either a variant or one with a few words changed, that the
// interpreter must survive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "corpus/test_modules.h"

namespace refract::fuzz {

enum class Kind : uint8_t {
  kBinary,
  kAssembly,
  kInputs,
  kRecording,
  kRecordingText,
  kScript,
  kShader,
  kCoverage
};
inline constexpr size_t kKinds = 8;
std::string_view NameOf(Kind kind);

/// One case: what to read. Everything except the original follows from seed and index.
struct Case {
  Kind kind = Kind::kBinary;
  size_t subject = 0;  ///< the module that the recording or the inputs belong to
  std::string bytes;
};

struct Outcome {
  bool accepted = false;
  std::optional<std::string> fault;  ///< the error that was found
};

class Cases {
 public:
  /// Loads what is to be damaged: tests/modules, references, and recordings made from both.
  static Result<Cases> Load(const std::string& source_folder);
  /// Draws a case of kind `only`, or of any kind if that is empty.
  Case Make(uint64_t seed, uint64_t index, std::optional<Kind> only = {});
  Outcome Run(const Case& one) const;

 private:
  struct Subject {
    TestModule module;
    Original original;
    std::string assembly;
    std::string inputs;     ///< as text; empty if there are none
    std::string recording;  ///< binary, without its head; made at first use
    std::string recording_text;
  };

  const Subject& WithRecording(size_t index);
  std::vector<uint32_t> ValidModule(const Subject& subject, Random& random) const;
  Outcome RunShader(const Subject& subject, const std::string& bytes) const;
  size_t AnySubject(Random& random, bool with_inputs) const;
  Outcome RunModule(const std::string& name, const std::string& bytes) const;
  Outcome RunInputs(const Subject& subject, const std::string& text) const;
  Outcome RunRecording(const Subject& subject, const std::string& name,
                       const std::string& bytes) const;

  std::vector<Subject> subjects_;
};

}  // namespace refract::fuzz
