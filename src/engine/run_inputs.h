// SPDX-License-Identifier: Apache-2.0
// The inputs with which the interpreter runs a context: as given, or with the free bytes varied. A
// byte is free if shader.json does not give it. Steps may rely only on given values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "input/blocks.h"
#include "input/resolve.h"
#include "rules/context.h"

namespace refract {
inline namespace engine {

/// The entry point and the inputs of one run.
struct RunSetup {
  EntryPoint entry;
  Bindings bindings;
};
/// Returns the inputs and facts of `context` as a setup. Inputs that are read but not given are
/// zero. Fails with kUnavailable for resources that cannot be given. Error messages call the module
/// `file`.
Result<RunSetup> SetupOf(const Context& context, const std::string& file);
/// Returns the inputs of all resources that `function` and the functions that it calls use. The
/// inputs of the entry point may lack some of them if the entry point does not call `function`.
Result<Bindings> BindingsOf(const Context& context, const std::string& file, Function function);

class RunInputs {
 public:
  /// Finds the free bytes of the inputs of `context`. Error messages call the module `file`.
  static Result<RunInputs> Of(const Context& context, const std::string& file);

  const EntryPoint& entry() const { return given_.entry; }
  /// The inputs as given; other bytes are zero.
  const Bindings& given() const { return given_.bindings; }
  /// True if there are bytes to vary; with `given_too`, given bytes count too.
  bool HasFree(bool given_too) const;
  /// Returns the inputs with random free bytes; with `given_too`, all bytes are random. They depend
  /// only on their place and `seed`, so that original and variant get the same.
  Bindings Varied(uint64_t seed, bool given_too) const;
  /// Replaces in `bindings`, which belong to another context of the same original, the bytes that
  /// are free here by those of Varied.
  void Vary(Bindings* bindings, uint64_t seed, bool given_too) const;

 private:
  RunSetup given_;
  std::map<BlockPlace, std::vector<bool>> is_given_;  // for each byte; padding counts as given
  // For each byte: it is part of an address, which must stay as given.
  std::map<BlockPlace, std::vector<bool>> is_address_;
};

}  // namespace engine
}  // namespace refract
