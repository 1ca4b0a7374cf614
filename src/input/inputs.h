// SPDX-License-Identifier: Apache-2.0
// The values with which a module is run: shader.json in the format of GraphicsFuzz, with extensions
// (docs/inputs.md is its reference). Each uniform, buffer, image or sampler has one entry:
//
//   "NAME": {"func": FUNC, "args": [NUMBERS], "count": N, "binding": B, "set": S, "offset": O,
//            "push_constant": true}
//   "NAME": {"func": "buffer", "size": BYTES, "binding": B, "set": S}
//   "NAME": {"func": "address", "args": ["BUFFER", "BUFFER+OFFSET", null], ...}
//   "NAME": {"func": "accelerationStructure", "scene": SCENE, "binding": B, "set": S}
//   "NAME": {"func": IMAGE, "texture": PATTERN, "seed": N, "args": [NUMBERS], "format": F,
//            "size": [W, H, D], "samples": N, "filter": "linear", "wrap": "clamp", "binding": B,
//            "set": S}
//
// "element" beside "binding" chooses a descriptor of an array. A "buffer" entry without a binding
// is a buffer to which addresses point; entries with "buffer": NAME, "offset" and "stride" give it
// values.
// FUNC is glUniformNT or glUniformNTv (N = 1-4; T = f, i, ui and, beyond OpenGL, d, f16, i8, ui8,
// i16, ui16, i64, ui64), or glUniformMatrixCTv or glUniformMatrixCxRTv (C columns, R rows; T = f,
// d, f16; args column by column). "count" is the length of an array. IMAGE is sampler2D and the
// like (with a sampler), texture2D (without), image2D (storage), subpassInput, or sampler alone.
// resolve.h says where a value goes. Control sections: "$framebuffer" {width, height, format},
// "$grid" {dimensions}, "$depth" {clear, compare}, "$compute" {num_groups, buffer},
// "$spec_constants" {ID: value}, "$expected" {buffers, `picture`, regions}, "$vertices" {topology,
// count, instances, indices, attributes}.
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

namespace refract {
inline namespace input {

/// The largest number of elements of an array, and of bytes of a buffer, in one entry.
constexpr uint32_t kMaxArrayElements = 1u << 20;
constexpr uint32_t kMaxBufferBytes = 1u << 28;
/// The largest number of scalars in a file.
constexpr size_t kMaxInputScalars = size_t{1} << 23;
/// The samples of a multisampled image whose number is not given. Every device has images with 1
/// and with 4 samples (Vulkan, "Limits", sampledImageColorSampleCounts).
constexpr uint32_t kDefaultSamples = 4;
/// The most samples of a pixel of the frame. There are standard locations for up to 16, but few
/// devices draw more than 8.
constexpr uint32_t kMostFrameSamples = 8;
/// The largest number of bytes of a name.
constexpr size_t kMaxInputNameBytes = 1024;

/// The properties of an image, a sampler or an acceleration structure in an entry, without texels.
struct ImageInput {
  BoundImage::Kind kind = BoundImage::kCombined;
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false;
  spv::ImageFormat format = spv::ImageFormat::Unknown;  ///< Unknown: chosen to fit the module
  /// Width, height (unless 1D), then depth, layers, or the cubes of an array; empty: the default.
  std::vector<uint32_t> size;
  std::string texture;  ///< the name of a pattern; empty: `words`, or zeros without `words`
  uint32_t seed = 0;    ///< of the pattern
  bool linear = false;
  BoundImage::Wrap wrap = BoundImage::kRepeat;
  BoundImage::Border border = BoundImage::kTransparent;
  BoundImage::Reduction reduction = BoundImage::kWeightedAverage;
  bool texel_coordinates = false;
  BoundImage::Compare compare = BoundImage::kNone;  ///< kNone: not a depth image
  uint32_t levels = 1;                              ///< mip levels
  uint32_t samples = 1;  ///< of each texel; more than 1: a multisampled image
  MipSampling mip;
  BoundImage::Scene scene = BoundImage::kEmpty;  ///< of kScene

  friend bool operator==(const ImageInput&, const ImageInput&) = default;
};

/// The address of a byte of an addressed buffer; without a name, the null address.
struct AddressInput {
  std::string buffer;
  uint32_t offset = 0;

  friend bool operator==(const AddressInput&, const AddressInput&) = default;
};

/// The value of one entry. For a uniform: `elements()` scalars of one type. For an image: `words`
/// has the components of every texel, or of one texel that fills the image. Or the size of a
/// buffer.
struct InputValue {
  enum Scalar : uint8_t { kFloat, kInt, kUint, kAddress };

  std::string name;  ///< UTF-8, not beginning with '$'
  uint32_t set = 0;
  uint32_t binding = 0;
  bool has_binding = false;
  /// In an array of descriptors. If it is not given, the name of the entry may give it, else it is
  /// 0.
  std::optional<uint32_t> element;
  bool push_constant = false;
  /// Bytes from the start of the block, for blocks whose members have no names.
  std::optional<uint32_t> offset;
  /// The name of the addressed buffer that gets the value; `offset` is the place in it.
  std::string buffer;
  /// With `buffer`: bytes from one vector or column to the next; 0: without padding.
  uint32_t stride = 0;
  std::optional<ImageInput> image;
  uint64_t buffer_bytes = 0;  ///< not 0: the buffer is this many zero bytes, and `words` is empty
  Scalar scalar = kInt;
  uint32_t width = 32;   ///< bits of a scalar: 8, 16, 32 or 64; floats 16, 32 or 64
  uint32_t rows = 1;     ///< 1-4: the size of a vector or of one column
  uint32_t columns = 1;  ///< 1: not a matrix
  uint32_t count = 0;    ///< 0: not an array
  /// The bits of each scalar; bits above `width` are 0. Floats are finite.
  std::vector<uint64_t> words;
  /// For kAddress, in place of `words`, which are zeros.
  std::vector<AddressInput> addresses;

  /// A "buffer" entry of a buffer that only addresses reach.
  bool is_addressed_buffer() const { return buffer_bytes != 0 && !has_binding; }
  uint64_t elements() const {
    return uint64_t{rows} * columns * (count == 0 ? uint64_t{1} : count);
  }
  friend bool operator==(const InputValue&, const InputValue&) = default;
};

/// The value of a specialisation constant. Its type is known only from the module.
struct SpecConstant {
  enum Kind : uint8_t { kBool, kInteger, kReal };
  uint32_t id = 0;  ///< the SpecId
  Kind kind = kInteger;
  bool negative = false;  ///< of kInteger: bits are two's complement
  uint64_t bits = 0;      ///< for kReal: an IEEE double
  friend bool operator==(const SpecConstant&, const SpecConstant&) = default;
};

/// Section "$compute": the workgroups of a dispatch or of mesh tasks, and a storage buffer.
struct ComputeInput {
  uint32_t groups[3] = {1, 1, 1};
  bool has_buffer = false;
  uint32_t set = 0;
  uint32_t binding = 0;
  std::vector<InputValue> fields;  ///< the block's members in order; their names are empty
  friend bool operator==(const ComputeInput&, const ComputeInput&) = default;
};

/// The expected content of a storage buffer, or of a part of it, after a run.
struct ExpectedBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  std::vector<uint32_t> words;
  /// The number of the first word, for a part; none: `words` are the whole buffer.
  std::optional<uint32_t> first = {};
  uint32_t element = 0;  ///< in an array of buffers
  friend bool operator==(const ExpectedBuffer&, const ExpectedBuffer&) = default;
};

/// The expected 8-bit image at location 0: square tiles of one colour each, row by row from the
/// upper left.
struct ExpectedPicture {
  uint32_t tile = 1;              ///< pixels on a side
  std::vector<uint32_t> colours;  ///< red in the lowest byte, then green, blue and alpha
  friend bool operator==(const ExpectedPicture&, const ExpectedPicture&) = default;
};

/// The expected colour of a rectangle of the 8-bit image at location 0.
struct ExpectedRegion {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t colour = 0;    ///< as in ExpectedPicture
  uint32_t channels = 4;  ///< how many of its components are compared, from red on
  friend bool operator==(const ExpectedRegion&, const ExpectedRegion&) = default;
};

/// Section "$expected": the outputs that a run must have.
struct ExpectedOutputs {
  std::vector<ExpectedBuffer> buffers;
  std::optional<ExpectedPicture> picture;
  std::vector<ExpectedRegion> regions = {};
  friend bool operator==(const ExpectedOutputs&, const ExpectedOutputs&) = default;
};

/// An attribute of "$vertices". A matrix has one location for each column, or two if a column has
/// more than two numbers of 64 bits.
struct AttributeInput {
  uint32_t location = 0;
  bool per_instance = false;
  InputValue value;  ///< an array without a name, one element for each vertex or instance
  friend bool operator==(const AttributeInput&, const AttributeInput&) = default;
};

/// Section "$vertices": what a vertex shader draws in place of a grid.
struct VerticesInput {
  BoundMesh::Topology topology = BoundMesh::kTriangleList;
  uint32_t count = 0;  ///< of vertices
  uint32_t instances = 1;
  std::vector<uint32_t> indices;           ///< each below `count`; empty: the vertices in order
  std::vector<AttributeInput> attributes;  ///< in the order of the file
  friend bool operator==(const VerticesInput&, const VerticesInput&) = default;
};

/// Section "$tessellation": the patches that are drawn, and what the tessellation shaders do that
/// Refract makes.
struct TessellationInput {
  enum Domain : uint8_t { kTriangles, kQuads, kIsolines };
  uint32_t patch_vertices = 3;
  Domain domain = kTriangles;     ///< of an evaluation shader that Refract makes
  float outer[4] = {4, 4, 4, 4};  ///< levels of a control shader that Refract makes
  float inner[2] = {4, 4};
  friend bool operator==(const TessellationInput&, const TessellationInput&) = default;
};

struct Inputs {
  std::vector<InputValue> values;            ///< in the order of the file; names are unique
  std::vector<SpecConstant> spec_constants;  ///< in the order of the file; ids are unique
  std::optional<ComputeInput> compute;
  std::optional<ExpectedOutputs> expected;
  bool has_framebuffer = false;
  uint32_t width = 256;  ///< of the frame
  uint32_t height = 256;
  spv::ImageFormat float_target = spv::ImageFormat::Rgba8;  ///< or Rgba32f
  uint32_t samples = 1;     ///< of each pixel: a power of two up to kMostFrameSamples
  bool per_sample = false;  ///< the fragment shader runs for each sample; only with several samples
  BoundDepth depth;         ///< section "$depth"
  bool has_grid = false;
  uint32_t grid_columns = 1;
  uint32_t grid_rows = 1;
  std::optional<VerticesInput> vertices;  ///< not together with has_grid
  std::optional<TessellationInput> tessellation;
  /// The other shader of the pipeline; null: none. It does not come from shader.json; the code that
  /// loads the inputs sets it.
  std::shared_ptr<const Companion> companion;

  const InputValue* Find(std::string_view name) const;
  friend bool operator==(const Inputs&, const Inputs&) = default;
};

/// Parses shader.json. `file` is its name in errors. The text may have any bytes. Unknown keys,
/// duplicates, numbers out of range and lists of a wrong length are refused with file, line and
/// JSON pointer.
Result<Inputs> ParseInputs(const std::string& file, std::string_view text);

/// Reads and parses `path`.
Result<Inputs> LoadInputs(const std::string& path);

/// The text from which ParseInputs makes an equal value: one line for each uniform, except that
/// long lists have lines of their own. Hashes of inputs are always computed from the form kOneLine,
/// also in old recordings.
std::string WriteInputs(const Inputs& inputs, ListForm form = ListForm::kLines);

/// How many locations an attribute of this type has.
uint32_t LocationsOf(const InputValue& value);

/// The name of a value's type: "glUniform2uiv", "texture2DArray" and so on.
std::string InputFunc(const InputValue& value);

}  // namespace input
}  // namespace refract
