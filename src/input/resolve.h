// SPDX-License-Identifier: Apache-2.0
// Matches the values of shader.json with the blocks of a module. The results are the bytes for the
// device, and the list of block scalars whose values are known.
//
// WHERE A VALUE GOES. With "binding" (and "set"), it goes to the block there. With "push_constant",
// it goes to the push-constant block. Within the block, it goes to "offset" if that is given; else
// to the member of its name; else, if the block has only one member, to that member (names may be
// stripped). With neither, as for plain uniforms, it goes to the member of that name in any block
// of the module. A name may be a path, NAME.FIELD[3].FIELD, and may begin with the name of the
// block's type or variable. The scalars of the value fill the scalars of its place in order, a
// matrix column by column. Their number and type must be those of the module, but signedness may
// differ. A value without a place in the module is not an error, because optimisers remove unused
// resources. For the buffer of "$compute", its fields are the members of the block in order.
//
// BUFFERS. A runtime array has the length of the list given to it. With a "buffer" entry, it has as
// many elements as fit into the bytes of that buffer. For images and samplers see resolve_images.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "input/known_value.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

struct ResolveOptions {
  /// Inputs that are read but not given are zero instead of an error. Runtime arrays then have
  /// kDefaultArrayLength elements.
  bool zero_inputs = false;
  /// Only `known` is needed and nothing is run: resources that cannot be provided are left out, and
  /// nothing is known of them.
  bool known_only = false;
};

struct ResolvedInputs {
  /// Every block, image and sampler that the entry point uses, and every block that was given a
  /// value.
  Bindings bindings;
  /// Sorted by set, binding and path; push constants last. Without scalars that the device could
  /// write, and without scalars that are zero because no value was given.
  std::vector<KnownValue> known;
  std::vector<std::string> unused;   ///< names of values that the module has no place for
  std::vector<std::string> missing;  ///< read but not given, so zero; without vertex attributes
                                     ///< if `known_only`
};

/// Errors call the inputs `file`. Inputs that the entry point or the functions it calls read but
/// that have no value are an error that names them. The error is kUnavailable for resources other
/// than blocks, images and samplers, for blocks that cannot be filled (blocks.h), and for frames
/// larger than kMaxFrameSide.
Result<ResolvedInputs> Resolve(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                               const std::string& file, const ResolveOptions& options = {});

/// The entry point named `name` or, if `name` is empty, the only one; otherwise the error lists
/// them. Errors call the module `file`. The error is kUnavailable if there is no entry point at
/// all, or if several of different stages have this name.
Result<EntryPoint> FindEntryPoint(const Module& module, const std::string& name,
                                  const std::string& file);

}  // namespace input
}  // namespace refract
