// SPDX-License-Identifier: Apache-2.0
// Brings the values of shader.json and a module's blocks together: bytes for the device, and which
// scalar of which block is known to be what.
//
// WHERE A VALUE GOES. With "binding" (and "set"): to the block there; with "push_constant": to the
// push-constant block. In the block: at "offset" if that is given; else to the member of its name;
// else, if the block has one member, to that one whatever it is called (names may be stripped).
// With neither, as plain uniforms have it: to the member of that name in any block of the module.
// A name may be a path, NAME.FIELD[3].FIELD, and may begin with the name of the block's type or
// variable. The value's scalars fill the scalars of what it is given to, one by one in order, a
// matrix column by column; their number and type must be those of the module, but signedness may
// differ. A value for something that the module does not have is no error: optimisers remove what
// is not used. "$compute"'s buffer: its fields are the members of the block, one by one.
//
// BUFFERS. A runtime array is as long as the list given to it, or as fits into the bytes that a
// "buffer" entry gives its block. Images and samplers: resolve_images.h.
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

namespace refract::inline input {

struct ResolveOptions {
  /// What is read but not given is zero instead of an error, runtime arrays of kZeroLength
  /// elements.
  bool zero_inputs = false;
  /// Only `known` is asked for, and nothing is run: what no run could be given is left out, and
  /// nothing is known of it.
  bool known_only = false;
};

struct ResolvedInputs {
  /// Every block, image and sampler the entry point uses, and every block that was given a value.
  Bindings bindings;
  /// Sorted by set, binding and path; push constants last. Nothing that the device could write, and
  /// nothing that was zero for want of a value.
  std::vector<KnownValue> known;
  std::vector<std::string> unused;  ///< names of values that the module has no place for
};

/// `file` is what errors call the inputs. What the entry point reads, itself or in what it calls,
/// and the inputs do not give is refused by name. kUnavailable for resources of other
/// kinds than blocks, images and samplers, blocks that cannot be filled (blocks.h), and frames of
/// more than kMaxFrameSide.
Result<ResolvedInputs> Resolve(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                               const std::string& file, const ResolveOptions& options = {});

/// The entry point called `name` or, if `name` is empty, the only one; else the error lists them.
/// `file` is what errors call the module. kUnavailable if there is none to choose: no entry point
/// at all, or two of this name, of different stages.
Result<EntryPoint> FindEntryPoint(const Module& module, const std::string& name,
                                  const std::string& file);

}  // namespace refract::inline input
