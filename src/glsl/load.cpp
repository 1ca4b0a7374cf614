// SPDX-License-Identifier: Apache-2.0
#include "glsl/load.h"

#include "base/cache.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/packed.h"
#include "base/text.h"
#include "ir/binary.h"

namespace refract {
inline namespace glsl {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr size_t kModuleHeaderWords = 5;
constexpr uint32_t kOldest = VersionWord(1, 0);
constexpr uint32_t kNewest = VersionWord(1, 6);

enum class Format : uint8_t { kBinary, kAssembly, kGlsl, kUnknown };

constexpr std::pair<std::string_view, GlslStage> kGlslEndings[] = {
    {".vert", GlslStage::kVertex},        {".tesc", GlslStage::kControl},
    {".tese", GlslStage::kEvaluation},    {".geom", GlslStage::kGeometry},
    {".task", GlslStage::kTask},          {".mesh", GlslStage::kMesh},
    {".frag", GlslStage::kFragment},      {".comp", GlslStage::kCompute},
    {".rgen", GlslStage::kRayGeneration}, {".rint", GlslStage::kIntersection},
    {".rahit", GlslStage::kAnyHit},       {".rchit", GlslStage::kClosestHit},
    {".rmiss", GlslStage::kMiss},         {".rcall", GlslStage::kCallable}};

const std::pair<std::string_view, GlslStage>* FindGlslEnding(const std::string& name) {
  for (const auto& ending : kGlslEndings) {
    if (Extension(name) == ending.first) return &ending;
  }
  return nullptr;
}

uint32_t WordAt(std::string_view bytes, size_t word) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[4 * word + i])) << (8 * i);
  }
  return value;
}

bool LooksBinary(std::string_view bytes) {
  if (bytes.size() < 4) return bytes.find('\0') != std::string_view::npos;
  const uint32_t first = WordAt(bytes, 0);
  return first == kMagic || first == kSwappedMagic || bytes.find('\0') != std::string_view::npos;
}

Format FormatOf(const std::string& name, std::string_view bytes) {
  const std::string_view extension = Extension(name);
  if (extension == ".spv") return Format::kBinary;
  if (extension == ".spvasm") return Format::kAssembly;
  if (FindGlslEnding(name) != nullptr) return Format::kGlsl;
  if (name == "-") return LooksBinary(bytes) ? Format::kBinary : Format::kAssembly;
  return Format::kUnknown;
}

Result<std::vector<uint32_t>> AssembleFile(const std::string& name, std::string_view text) {
  uint32_t version = kNewest;
  if (const auto written = VersionInComment(text)) {
    version = *written;
    if (version < kOldest || version > kNewest) {
      return Error{format("{}: unknown SPIR-V version {}.{}; 1.0 to 1.6 are supported", name,
                          version >> 16, version >> 8 & 0xff)};
    }
  }
  auto words = Assemble(text, UniversalEnvironment(version));
  if (!words) return WithSource({format("{}:{}", name, words.error().message)}, name, text);
  return words;
}

Result<LoadedModule> FromGlsl(const std::string& name, std::string_view text, GlslStage stage,
                              const GlslOptions& options) {
  LoadedModule loaded{{}, ModuleKind::kGlsl, {}};
  auto words = CompileGlsl(name, text, stage, options, &loaded.warnings);
  if (!words) return words.error();
  loaded.words = std::move(*words);
  return loaded;
}

// Everything that determines the result of compiling. The cache adds the executable, which contains
// the compiler.
std::string CacheKey(const std::string& path, std::string_view source, const GlslOptions& options) {
  const char environment = static_cast<char>(options.environment);
  const char debug_info = options.debug_info ? 1 : 0;
  return Pack({path, source, {&environment, 1}, {&debug_info, 1}, options.uniform_block});
}

// The form in the cache: the words, then the warnings.
std::string PackModule(const LoadedModule& module) {
  std::vector<std::string_view> pieces = {
      {reinterpret_cast<const char*>(module.words.data()), 4 * module.words.size()}};
  pieces.insert(pieces.end(), module.warnings.begin(), module.warnings.end());
  return Pack(pieces);
}

std::optional<LoadedModule> UnpackModule(std::string_view packed) {
  const auto pieces = Unpack(packed);
  if (!pieces || pieces->empty()) return std::nullopt;
  Result<std::vector<uint32_t>> words = WordsFromBytes("kept", pieces->front());
  if (!words) return std::nullopt;
  LoadedModule module{std::move(*words), ModuleKind::kGlsl, {}};
  module.warnings.assign(pieces->begin() + 1, pieces->end());
  return module;
}

}  // namespace

bool IsModuleFile(const std::string& path) {
  return path != "-" && FormatOf(path, {}) != Format::kUnknown;
}

Result<std::vector<uint32_t>> WordsFromBytes(const std::string& name, std::string_view bytes) {
  if (bytes.empty()) return Error{format("{}: empty file", name)};
  if (bytes.size() >= 4 && WordAt(bytes, 0) == kSwappedMagic) {
    return Error{
        format("{}: byte 0: the file is byte-swapped (big-endian); Refract reads only "
               "little-endian SPIR-V",
               name)};
  }
  if (bytes.size() < 4 || WordAt(bytes, 0) != kMagic) {
    return Error{
        format("{}: byte 0: not SPIR-V (the magic number 0x{:08x} is missing)", name, kMagic)};
  }
  if (bytes.size() % 4 != 0) {
    return Error{
        format("{}: byte {}: truncated (the size is not a multiple of 4)", name, bytes.size())};
  }
  if (bytes.size() < 4 * kModuleHeaderWords) {
    return Error{format("{}: byte {}: truncated in the header", name, bytes.size())};
  }
  std::vector<uint32_t> words(bytes.size() / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = WordAt(bytes, i);
  const uint32_t version = words[1];
  if (version < kOldest || version > kNewest || (version & 0xff) != 0) {
    return Error{format("{}: byte 4: the version word is 0x{:08x}; Refract reads SPIR-V 1.0 to 1.6",
                        name, version)};
  }
  const uint32_t bound = words[3];
  if (bound == 0 || bound > kMaxIdBound) {
    return Error{format("{}: byte 12: the id bound is {}; Refract reads bounds from 1 to {}", name,
                        bound, kMaxIdBound)};
  }
  for (size_t at = kModuleHeaderWords; at < words.size();) {
    const size_t count = words[at] >> 16;
    if (count == 0) {
      return Error{format("{}: byte {}: an instruction has the length 0", name, 4 * at)};
    }
    if (count > words.size() - at) {
      return Error{
          format("{}: byte {}: truncated (an instruction has {} words, but only {} are left)", name,
                 4 * at, count, words.size() - at)};
    }
    at += count;
  }
  return words;
}

Result<LoadedModule> LoadModuleBytes(const std::string& name, std::string_view bytes,
                                     const GlslOptions& options) {
  const Format file_format = FormatOf(name, bytes);
  if (file_format != Format::kUnknown && Trim(bytes).empty()) {
    return Error{format("{}: empty file", name)};
  }
  switch (file_format) {
    case Format::kBinary: {
      auto words = WordsFromBytes(name, bytes);
      if (!words) return words.error();
      return LoadedModule{std::move(*words), ModuleKind::kBinary, {}};
    }
    case Format::kAssembly: {
      if (name == "-" && Trim(bytes).starts_with("#version")) {
        return Error{
            "-: the stage of GLSL from standard input is unknown; pass a .frag, .vert, .tesc, "
            ".tese, .geom, .task, .mesh, .comp, .rgen, .rint, .rahit, .rchit, .rmiss or .rcall "
            "file"};
      }
      auto words = AssembleFile(name, bytes);
      if (!words) return words.error();
      return LoadedModule{std::move(*words), ModuleKind::kAssembly, {}};
    }
    case Format::kGlsl:
      return FromGlsl(name, bytes, FindGlslEnding(name)->second, options);
    case Format::kUnknown:
      break;
  }
  return Error{format("{}: not the name of a module: expected {}", name, kModuleEndings)};
}

Result<LoadedModule> LoadModuleFile(const std::string& path, const GlslOptions& options) {
  if (path != "-" && FormatOf(path, {}) == Format::kUnknown) {
    return LoadModuleBytes(path, {}, options);
  }
  Result<std::string> bytes = ReadFile(path, kMaxFileBytes);
  if (!bytes) return bytes.error();
  if (FormatOf(path, {}) != Format::kGlsl) return LoadModuleBytes(path, *bytes, options);
  const Cache cache = Cache::OfUser("glsl");
  const std::string key = CacheKey(path, *bytes, options);
  if (const auto kept = cache.Get(key)) {
    if (auto module = UnpackModule(*kept)) return std::move(*module);
  }
  GlslOptions all_errors = options;
  all_errors.all_errors = true;
  Result<LoadedModule> loaded = LoadModuleBytes(path, *bytes, all_errors);
  if (loaded) cache.Put(key, PackModule(*loaded));
  return loaded;
}

}  // namespace glsl
}  // namespace refract
