// SPDX-License-Identifier: Apache-2.0
// An AmberScript, as far as Refract can run what it says: shaders, buffers, images, samplers,
// pipelines, runs and expectations. docs/cts.md lists what is supported. Everything else is refused
// with file and line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"

namespace refract::amber {

/// The largest script, and the largest number of values in a buffer, that are read.
constexpr size_t kMaxScriptBytes = size_t{1} << 26;
constexpr size_t kMaxValues = size_t{1} << 22;

struct Shader {
  enum Form : uint8_t { kPassThrough, kAssembly, kGlsl };
  std::string name;
  size_t line = 0;
  spv::ExecutionModel stage = spv::ExecutionModel::Fragment;
  bool any_stage = false;  ///< stage "multi": the module has several
  Form form = kAssembly;
  uint32_t version = 0x10000;  ///< of assembly: the version word
  std::string text;
};

/// The type of the elements of a buffer.
struct DataType {
  InputValue::Scalar scalar = InputValue::kFloat;
  uint32_t width = 32;  ///< bits
  uint32_t rows = 1;
  uint32_t columns = 1;
  bool array = false;
};

/// A buffer with data, or an image.
struct Buffer {
  std::string name;
  size_t line = 0;
  DataType type;
  bool std140 = false;           ///< layout of the elements; otherwise std430
  std::vector<uint64_t> values;  ///< the bits of each number
  /// Set for an image: the format of its texels, which `values` has or which a pipeline draws.
  std::optional<spv::ImageFormat> image;
  spv::Dim dim = spv::Dim::Dim2D;
  std::array<uint32_t, 3> size = {0, 0, 0};  ///< of the image; 0: that of the frame
};

/// The words for address modes, in the order of BoundImage::Wrap.
constexpr std::string_view kAddressModes[] = {"repeat", "mirrored_repeat", "clamp_to_edge",
                                              "clamp_to_border", "mirror_clamp_to_edge"};
/// The words for colours of borders, in the order of BoundImage::Border. Before them is "float_" or
/// "int_".
constexpr std::string_view kBorderColours[] = {"transparent_black", "opaque_black", "opaque_white"};

struct Sampler {
  std::string name;
  bool linear = false;
  BoundImage::Wrap wrap = BoundImage::kRepeat;  ///< on all axes
  BoundImage::Border border = BoundImage::kTransparent;
  bool integer_border = false;  ///< the border is for images of integers
  bool texel_coordinates = false;
};

/// A line BIND of a pipeline.
struct Binding {
  enum Kind : uint8_t {
    kColour,
    kUniform,
    kStorage,
    kPushConstant,
    kCombined,
    kSampledImage,
    kStorageImage,
    kSampler,
  };
  Kind kind = kUniform;
  size_t line = 0;
  std::string buffer, sampler;  ///< names; empty: none
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t location = 0;  ///< of kColour
};

/// A line ATTACH of a pipeline.
struct Attachment {
  std::string shader;
  size_t line = 0;
  std::optional<spv::ExecutionModel> stage;  ///< TYPE
  std::string entry = "main";
  std::vector<SpecConstant> constants;
};

struct Pipeline {
  std::string name;
  size_t line = 0;
  bool compute = false;
  uint32_t width = 250;
  uint32_t height = 250;
  std::vector<Attachment> attachments;
  std::vector<Binding> bindings;
};

/// A command RUN.
struct RunCommand {
  std::string pipeline;
  size_t line = 0;
  uint32_t groups[3] = {1, 1, 1};
  /// Of a draw: the cells of the grid; 1 and 1 for DRAW_RECT.
  uint32_t columns = 1;
  uint32_t rows = 1;
};

/// The colour that CLEAR gives to the frame of a pipeline.
struct ClearColour {
  std::string pipeline;
  std::array<uint32_t, 4> colour = {0, 0, 0, 0};
};

/// A command EXPECT.
struct Expectation {
  enum Kind : uint8_t {
    kColour,     ///< a rectangle of one colour
    kValues,     ///< values from a byte on
    kSame,       ///< EQ_BUFFER
    kRmse,       ///< RMSE_BUFFER
    kHistogram,  ///< EQ_HISTOGRAM_EMD_BUFFER
  };
  Kind kind = kColour;
  size_t line = 0;
  std::string buffer, other;
  std::array<uint32_t, 4> region = {0, 0, 0, 0};  ///< x, y, width, height
  std::array<uint32_t, 4> colour = {0, 0, 0, 255};
  uint32_t channels = 4;
  uint32_t offset = 0;              ///< bytes, of kValues
  std::vector<std::string> values;  ///< of kValues, as they are in the script
  double tolerance = 0;
};

struct Script {
  std::string file;
  std::vector<Shader> shaders;
  std::vector<Buffer> buffers;
  std::vector<Sampler> samplers;
  std::vector<Pipeline> pipelines;
  std::vector<ClearColour> clears;
  std::vector<RunCommand> runs;
  std::vector<Expectation> expectations;

  const Shader* FindShader(std::string_view name) const;
  const Buffer* FindBuffer(std::string_view name) const;
  const Sampler* FindSampler(std::string_view name) const;
  const Pipeline* FindPipeline(std::string_view name) const;
};

/// Parses a script. `file` names it in errors: "FILE:LINE: what is wrong or not supported". The
/// text may have any bytes.
Result<Script> ParseScript(const std::string& file, std::string_view text);

/// The bits of a number of a script as a scalar of this type; nullopt if the text is not a number,
/// or if it does not fit.
std::optional<uint64_t> NumberBits(std::string_view text, const DataType& type);

}  // namespace refract::amber
