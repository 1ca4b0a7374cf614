// SPDX-License-Identifier: Apache-2.0
// The values a module is run with: shader.json in the GraphicsFuzz form, extended for what that
// form lacks (docs/inputs.md is its reference). One entry per uniform, buffer, image or sampler:
//
//   "NAME": {"func": FUNC, "args": [NUMBERS], "count": N, "binding": B, "set": S, "offset": O,
//            "push_constant": true}
//   "NAME": {"func": "buffer", "size": BYTES, "binding": B, "set": S}
//   "NAME": {"func": IMAGE, "texture": PATTERN, "seed": N, "args": [NUMBERS], "format": F,
//            "size": [W, H, D], "filter": "linear", "wrap": "clamp", "binding": B, "set": S}
//
// FUNC is glUniformNT or glUniformNTv (N = 1-4; T = f, i, ui and, beyond OpenGL, d, f16, i8, ui8,
// i16, ui16, i64, ui64), glUniformMatrixCTv or glUniformMatrixCxRTv (C columns, R rows; T = f, d,
// f16; args column by column). "count" is the length of an array. IMAGE is sampler2D and the like
// (with a sampler), texture2D (without), image2D (storage), or sampler alone. Where a value goes,
// see resolve.h. Control sections: "$framebuffer" {width, height, format}, "$grid" {dimensions},
// "$compute" {num_groups, buffer}, "$spec_constants" {ID: value}, "$expected" {buffers, picture}.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/companion.h"
#include "input/json_text.h"
#include "input/texels.h"

namespace refract::inline input {

/// What an entry says of an image or a sampler beside its texels.
struct ImageInput {
  BoundImage::Kind kind = BoundImage::kCombined;
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false;
  spv::ImageFormat format = spv::ImageFormat::Unknown;  ///< Unknown: what suits the module
  /// Width, height unless 1D, then depth, layers, or cubes of an array; empty: the default.
  std::vector<uint32_t> size;
  std::string texture;  ///< name of a pattern; empty: `words`, or zeros if there are none
  uint32_t seed = 0;    ///< of the pattern
  bool linear = false;
  bool repeat = true;

  friend bool operator==(const ImageInput&, const ImageInput&) = default;
};

/// The value of one uniform: `elements()` scalars of one type. Or an image, whose words are the
/// components of one texel for all or of every texel. Or the size of a buffer.
struct InputValue {
  enum Scalar : uint8_t { kFloat, kInt, kUint };

  std::string name;  ///< UTF-8, not beginning with '$'
  uint32_t set = 0;
  uint32_t binding = 0;
  bool has_binding = false;
  bool push_constant = false;
  std::optional<uint32_t> offset;  ///< byte in the block, for blocks whose members have no names
  std::optional<ImageInput> image;
  uint64_t buffer_bytes = 0;  ///< not 0: so many zero bytes are the buffer; there are no words then
  Scalar scalar = kInt;
  uint32_t width = 32;   ///< bits of a scalar: 8, 16, 32 or 64; floats 16, 32 or 64
  uint32_t rows = 1;     ///< 1-4: of a vector or of one column
  uint32_t columns = 1;  ///< 1: not a matrix
  uint32_t count = 0;    ///< 0: not an array
  /// One per scalar, its bits; bits above `width` are 0. Floats are finite.
  std::vector<uint64_t> words;

  uint64_t elements() const {
    return uint64_t{rows} * columns * (count == 0 ? uint64_t{1} : count);
  }
  friend bool operator==(const InputValue&, const InputValue&) = default;
};

/// The value of a specialisation constant. Its type is the module's business.
struct SpecConstant {
  enum Kind : uint8_t { kBool, kInteger, kReal };
  uint32_t id = 0;  ///< SpecId
  Kind kind = kInteger;
  bool negative = false;  ///< of kInteger: bits are two's complement
  uint64_t bits = 0;      ///< of kReal: an IEEE double
  friend bool operator==(const SpecConstant&, const SpecConstant&) = default;
};

/// "$compute": how a compute shader is dispatched, and its storage buffer.
struct ComputeInput {
  uint32_t groups[3] = {1, 1, 1};
  bool has_buffer = false;
  uint32_t set = 0;
  uint32_t binding = 0;
  std::vector<InputValue> fields;  ///< the block's members in order; their names are empty
  friend bool operator==(const ComputeInput&, const ComputeInput&) = default;
};

/// What a storage buffer is to hold behind a run, all of it.
struct ExpectedBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  std::vector<uint32_t> words;
  friend bool operator==(const ExpectedBuffer&, const ExpectedBuffer&) = default;
};

/// What the 8-bit picture at location 0 is to be: square tiles of one colour each, from the upper
/// left, row by row.
struct ExpectedPicture {
  uint32_t tile = 1;              ///< pixels a side
  std::vector<uint32_t> colours;  ///< red in the lowest byte, then green, blue and alpha
  friend bool operator==(const ExpectedPicture&, const ExpectedPicture&) = default;
};

/// "$expected": what a run is to leave behind, where that is known beforehand.
struct ExpectedOutputs {
  std::vector<ExpectedBuffer> buffers;
  std::optional<ExpectedPicture> picture;
  friend bool operator==(const ExpectedOutputs&, const ExpectedOutputs&) = default;
};

struct Inputs {
  std::vector<InputValue> values;            ///< in the order of the file; names are unique
  std::vector<SpecConstant> spec_constants;  ///< in the order of the file; ids are unique
  std::optional<ComputeInput> compute;
  std::optional<ExpectedOutputs> expected;
  bool has_framebuffer = false;
  uint32_t width = 256;  ///< of the picture
  uint32_t height = 256;
  spv::ImageFormat float_target = spv::ImageFormat::Rgba8;  ///< or Rgba32f
  bool has_grid = false;
  uint32_t grid_columns = 1;
  uint32_t grid_rows = 1;
  /// The other shader of the pipeline; null: none. No file of inputs says it, who loads them does.
  std::shared_ptr<const Companion> companion;

  const InputValue* Find(std::string_view name) const;
  friend bool operator==(const Inputs&, const Inputs&) = default;
};

/// Parses shader.json; `file` is what errors call it. Any bytes are fine as input. What is unknown,
/// out of range, twice or of the wrong length is refused with file, line and JSON pointer.
Result<Inputs> ParseInputs(const std::string& file, std::string_view text);

/// Reads and parses `path`.
Result<Inputs> LoadInputs(const std::string& path);

/// Text that ParseInputs turns into an equal value: one line per uniform, but long lists in lines
/// of their own. `form` kOneLine is what hashes of inputs are taken of, now and in old recordings.
std::string WriteInputs(const Inputs& inputs, ListForm form = ListForm::kLines);

/// "glUniform2uiv", "texture2DArray" and so on.
std::string InputFunc(const InputValue& value);

}  // namespace refract::inline input
