// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>

#include "amber/parse_parts.h"
#include "base/text.h"
#include "input/scalar.h"
#include "input/texels.h"

namespace refract::amber {
namespace {

constexpr uint32_t kMaxImageSide = 16384;

struct ScalarName {
  std::string_view name;
  InputValue::Scalar scalar;
  uint32_t width;
};
constexpr ScalarName kScalars[] = {
    {"int8", InputValue::kInt, 8},       {"int16", InputValue::kInt, 16},
    {"int32", InputValue::kInt, 32},     {"int64", InputValue::kInt, 64},
    {"uint8", InputValue::kUint, 8},     {"uint16", InputValue::kUint, 16},
    {"uint32", InputValue::kUint, 32},   {"uint64", InputValue::kUint, 64},
    {"float16", InputValue::kFloat, 16}, {"float", InputValue::kFloat, 32},
    {"double", InputValue::kFloat, 64}};

bool TakeStart(std::string_view start, std::string_view* text) {
  if (!text->starts_with(start)) return false;
  text->remove_prefix(start.size());
  return true;
}

bool TakeSide(std::string_view* text, uint32_t* side) {
  if (text->empty() || text->front() < '2' || text->front() > '4') return false;
  *side = static_cast<uint32_t>(text->front() - '0');
  text->remove_prefix(1);
  return true;
}

// "float", "vec2<int32>", "mat3x2<float>", each with "[]" or "[4]" after it.
std::optional<DataType> ParseType(std::string_view text) {
  DataType type;
  if (text.ends_with("]")) {
    const size_t open = text.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    const std::string_view length = text.substr(open + 1, text.size() - open - 2);
    uint64_t number = 0;
    if (!length.empty() && !ParseNumber(length, &number)) return std::nullopt;
    type.array = true;
    text = text.substr(0, open);
  }
  const bool vector = TakeStart("vec", &text);
  if (vector && !TakeSide(&text, &type.rows)) return std::nullopt;
  const bool matrix = !vector && TakeStart("mat", &text);
  if (matrix &&
      (!TakeSide(&text, &type.columns) || !TakeStart("x", &text) || !TakeSide(&text, &type.rows))) {
    return std::nullopt;
  }
  if (vector || matrix) {
    if (!TakeStart("<", &text) || !text.ends_with(">")) return std::nullopt;
    text.remove_suffix(1);
  }
  for (const ScalarName& scalar : kScalars) {
    if (text != scalar.name) continue;
    type.scalar = scalar.scalar;
    type.width = scalar.width;
    return type;
  }
  return std::nullopt;
}

// The format of "R8G8B8A8_UNORM"; that of "B8G8R8A8_UNORM" is the same, because a shader does not
// see the order in memory. The names in TexelFormat follow GLSL, so they are made here.
const TexelFormat* ParseFormat(std::string_view text) {
  std::string name(text);
  if (name == "B8G8R8A8_UNORM") name = "R8G8B8A8_UNORM";
  constexpr const char* kKinds[] = {"UNORM", "SNORM", "SFLOAT", "SINT", "UINT"};
  for (const std::string& known : Split(TexelFormatNames(), ',')) {
    const TexelFormat* format_row = FindTexelFormat(Trim(known));
    if (format_row == nullptr) continue;
    std::string made;
    for (uint32_t i = 0; i < format_row->components; ++i) {
      made += format("{}{}", "RGBA"[i], format_row -> width);
    }
    if (name == format("{}_{}", made, kKinds[format_row->kind])) return format_row;
  }
  return nullptr;
}

// The type of the numbers in the data of an image: unorm texels are given as bytes.
DataType TypeOfTexels(const TexelFormat& texels) {
  DataType type;
  type.width = texels.width;
  type.scalar = texels.kind == TexelFormat::kFloat ? InputValue::kFloat
                : texels.kind == TexelFormat::kInt || texels.kind == TexelFormat::kSnorm
                    ? InputValue::kInt
                    : InputValue::kUint;
  type.rows = texels.components;
  return type;
}

Status AddValue(const Statement& statement, const std::string& word, Buffer* buffer) {
  const std::optional<uint64_t> bits = NumberBits(word, buffer->type);
  if (!bits) {
    return statement.Bad(
        format("the data of {}: expected a number that fits its type", buffer->name));
  }
  if (buffer->values.size() == kMaxValues) {
    return statement.Bad(format("{} has more than {} values", buffer->name, kMaxValues));
  }
  buffer->values.push_back(*bits);
  return {};
}

// Reads the numbers up to END; `statement` is after DATA.
Status ParseData(Statement statement, Lines& lines, Buffer* buffer) {
  const Statement begin = statement;
  while (true) {
    while (!statement.AtEnd()) {
      if (statement.TakeIf("END")) return statement.RequireEnd();
      const Result<std::string> word = statement.Take("a number");
      if (!word) return word.error();
      if (Status added = AddValue(statement, *word, buffer); !added) return added;
    }
    statement = lines.Next();
    if (statement.AtEnd()) return begin.Bad(format("the data of {} has no END", buffer->name));
  }
}

// "SIZE 4 FILL 0" or "SIZE 4 SERIES_FROM 1 INC_BY 2"; `statement` is after SIZE.
Status ParseSize(Statement& statement, Buffer* buffer) {
  uint32_t elements = 0;
  if (Status read = statement.TakeNumber("the number of elements", kMaxValues, &elements); !read) {
    return read;
  }
  const uint64_t count = uint64_t{elements} * buffer->type.rows * buffer->type.columns;
  if (count > kMaxValues) return statement.Bad(format("more than {} values", kMaxValues));
  if (!statement.TakeIf("FILL")) return statement.NotSupported(statement.Peek());
  const Result<std::string> value = statement.Take("a number");
  if (!value) return value.error();
  if (Status added = AddValue(statement, *value, buffer); !added) return added;
  buffer->values.resize(count, buffer->values.front());
  return statement.RequireEnd();
}

Status CheckCount(const Statement& statement, const Buffer& buffer) {
  const size_t element = size_t{buffer.type.rows} * buffer.type.columns;
  if (!buffer.values.empty() && buffer.values.size() % element == 0) return {};
  return statement.Bad(format("{} has {} values, which are no whole elements of {} values",
                              buffer.name, buffer.values.size(), element));
}

Status ParseTypedData(Statement& statement, Lines& lines, Buffer* buffer) {
  const Result<std::string> name = statement.Take("a type");
  if (!name) return name.error();
  const std::optional<DataType> type = ParseType(*name);
  if (!type) return statement.Bad(format("the type {} is not supported", *name));
  buffer->type = *type;
  if (statement.TakeIf("STD140")) {
    buffer->std140 = true;
  } else {
    statement.TakeIf("STD430");
  }
  if (statement.TakeIf("SIZE")) {
    if (Status read = ParseSize(statement, buffer); !read) return read;
  } else {
    if (!statement.TakeIf("DATA")) return statement.NotSupported(statement.Peek());
    if (Status read = ParseData(statement, lines, buffer); !read) return read;
  }
  return CheckCount(statement, *buffer);
}

Status TakeFormat(Statement& statement, Buffer* image) {
  const Result<std::string> name = statement.Take("a format");
  if (!name) return name.error();
  const TexelFormat* texels = ParseFormat(*name);
  if (texels == nullptr) return statement.Bad(format("the format {} is not supported", *name));
  image->image = texels->format;
  image->type = TypeOfTexels(*texels);
  return {};
}

// Takes the next word if it is one of `words`; its number among them.
std::optional<size_t> TakeOneOf(Statement& statement, std::span<const std::string_view> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (statement.TakeIf(words[i])) return i;
  }
  return std::nullopt;
}

// Takes the word after BORDER_COLOR.
Status TakeBorder(Statement& statement, Sampler* sampler) {
  const std::string_view colour = statement.Peek();
  for (size_t i = 0; i < std::size(kBorderColours); ++i) {
    sampler->integer_border = colour == format("int_{}", kBorderColours[i]);
    if (!sampler->integer_border && colour != format("float_{}", kBorderColours[i])) continue;
    sampler->border = static_cast<BoundImage::Border>(i);
    return statement.Require(colour);
  }
  return statement.NotSupported(colour);
}

}  // namespace

std::optional<uint64_t> NumberBits(std::string_view text, const DataType& type) {
  uint64_t bits = 0;
  if (type.scalar == InputValue::kFloat && !text.starts_with("0x")) {
    if (!ParseFloat(text, type.width, &bits)) return std::nullopt;
    return bits;
  }
  const bool negative = text.starts_with("-");
  if (negative) text.remove_prefix(1);
  if (!ParseNumber(text, &bits)) return std::nullopt;
  const uint64_t all =
      type.width == 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << type.width) - 1;
  const uint64_t most = negative ? (all >> 1) + 1 : all;
  if (bits > most || (negative && type.scalar != InputValue::kInt)) return std::nullopt;
  return (negative ? 0 - bits : bits) & all;
}

Result<Buffer> ParseBuffer(Statement& statement, Lines& lines) {
  Buffer buffer;
  buffer.line = statement.line();
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  buffer.name = std::move(*name);
  if (statement.TakeIf("DATA_TYPE")) {
    if (Status read = ParseTypedData(statement, lines, &buffer); !read) return read.error();
    return buffer;
  }
  if (!statement.TakeIf("FORMAT")) return statement.NotSupported(statement.Peek());
  if (Status read = TakeFormat(statement, &buffer); !read) return read.error();
  if (Status end = statement.RequireEnd(); !end) return end.error();
  return buffer;
}

Result<Buffer> ParseImage(Statement& statement, Lines& lines) {
  Buffer image;
  image.line = statement.line();
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  image.name = std::move(*name);
  if (Status read = statement.Require("FORMAT"); !read) return read.error();
  if (Status read = TakeFormat(statement, &image); !read) return read.error();
  constexpr std::pair<std::string_view, spv::Dim> kDims[] = {
      {"DIM_1D", spv::Dim::Dim1D}, {"DIM_2D", spv::Dim::Dim2D}, {"DIM_3D", spv::Dim::Dim3D}};
  const auto* dim = std::find_if(std::begin(kDims), std::end(kDims),
                                 [&](const auto& row) { return statement.TakeIf(row.first); });
  if (dim == std::end(kDims)) return statement.NotSupported(statement.Peek());
  image.dim = dim->second;
  constexpr std::string_view kSides[] = {"WIDTH", "HEIGHT", "DEPTH"};
  const size_t sides = static_cast<size_t>(dim - std::begin(kDims)) + 1;
  image.size = {1, 1, 1};
  for (size_t i = 0; i < sides; ++i) {
    Status read = statement.Require(kSides[i]);
    if (read) read = statement.TakeNumber(kSides[i], kMaxImageSide, &image.size[i]);
    if (!read) return read.error();
  }
  if (statement.TakeIf("FILL")) {
    const Result<std::string> value = statement.Take("a number");
    if (!value) return value.error();
    if (Status added = AddValue(statement, *value, &image); !added) return added.error();
    if (Status end = statement.RequireEnd(); !end) return end.error();
  } else if (!statement.AtEnd()) {
    if (!statement.TakeIf("DATA")) return statement.NotSupported(statement.Peek());
    if (Status read = ParseData(statement, lines, &image); !read) return read.error();
  }
  const uint64_t texels = uint64_t{image.size[0]} * image.size[1] * image.size[2];
  if (texels * image.type.rows > kMaxValues) {
    return statement.Bad(format("{} has more than {} values", image.name, kMaxValues));
  }
  const uint64_t all = texels * image.type.rows;
  if (image.values.size() == 1) image.values.resize(all, image.values.front());
  if (image.values.empty() || image.values.size() == all) return image;
  return statement.Bad(
      format("{} has {} values, but needs {}", image.name, image.values.size(), all));
}

Result<Sampler> ParseSampler(Statement& statement) {
  constexpr std::string_view kFilters[] = {"nearest", "linear"};
  Sampler sampler;
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  sampler.name = std::move(*name);
  std::optional<size_t> filter, mode;
  while (!statement.AtEnd()) {
    if (statement.TakeIf("BORDER_COLOR")) {
      if (Status read = TakeBorder(statement, &sampler); !read) return read.error();
      continue;
    }
    if (statement.TakeIf("NORMALIZED_COORDS")) continue;
    if (statement.TakeIf("UNNORMALIZED_COORDS")) {
      sampler.texel_coordinates = true;
      continue;
    }
    const bool is_filter = statement.TakeIf("MAG_FILTER") || statement.TakeIf("MIN_FILTER");
    const bool is_mode =
        !is_filter && (statement.TakeIf("ADDRESS_MODE_U") || statement.TakeIf("ADDRESS_MODE_V") ||
                       statement.TakeIf("ADDRESS_MODE_W"));
    if (!is_filter && !is_mode) return statement.NotSupported(statement.Peek());
    const std::optional<size_t> word =
        is_filter ? TakeOneOf(statement, kFilters) : TakeOneOf(statement, kAddressModes);
    if (!word) return statement.NotSupported(statement.Peek());
    std::optional<size_t>& value = is_filter ? filter : mode;
    if (value && *value != *word) return statement.Bad("filters or address modes that differ");
    value = word;
  }
  sampler.linear = filter == size_t{1};
  sampler.wrap = static_cast<BoundImage::Wrap>(mode.value_or(BoundImage::kRepeat));
  if (sampler.texel_coordinates && sampler.wrap != BoundImage::kClamp &&
      sampler.wrap != BoundImage::kBorder) {
    return statement.Bad(
        "coordinates that are not normalised, with an address mode that they lack");
  }
  return sampler;
}

}  // namespace refract::amber
