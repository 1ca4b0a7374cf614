// SPDX-License-Identifier: Apache-2.0
// The inputs that the interpreter runs a context with: as they are given, or with what is free
// varied. Free is what shader.json does not give: a step may rest on given values alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "input/blocks.h"
#include "input/resolve.h"
#include "rules/context.h"

namespace refract::inline engine {

/// What one context is run with.
struct RunSetup {
  EntryPoint entry;
  Bindings bindings;
};
/// As the context's inputs and its facts have it; what is read but not given is zero. kUnavailable
/// for resources that cannot be given; `file` is what errors call the module.
Result<RunSetup> SetupOf(const Context& context, const std::string& file);
/// The same inputs for what `function` and those that it calls use, whoever calls it: an entry
/// point that does not call it has none for what it alone uses.
Result<Bindings> BindingsOf(const Context& context, const std::string& file, Function function);

class RunInputs {
 public:
  static Result<RunInputs> Of(const Context& context, const std::string& file);

  const EntryPoint& entry() const { return given_.entry; }
  /// As given, what is not given zero.
  const Bindings& given() const { return given_.bindings; }
  /// Whether there is anything to vary.
  bool HasFree(bool given_too) const;
  /// The free bytes drawn at random, with `given_too` all of them. They depend on nothing but
  /// their place and `seed`, so that original and variant get the same.
  Bindings Varied(uint64_t seed, bool given_too) const;
  /// `bindings` of another context of the same original with the bytes that are free here, as
  /// Varied has them.
  void Vary(Bindings* bindings, uint64_t seed, bool given_too) const;

 private:
  RunSetup given_;
  std::map<BlockPlace, std::vector<bool>> is_given_;  // by byte; padding counts as given
};

}  // namespace refract::inline engine
