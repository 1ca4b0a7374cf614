// SPDX-License-Identifier: Apache-2.0
// Each rule is a function that reads the text once and copies it with replacements. Regular
// expressions are not used: those of the standard library recurse once per character, and logs have
// long lines.
#include "signature/normalise.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <memory>

#include "base/hash.h"
#include "base/text.h"
#include "signature/characters.h"
#include "signature/shader_names.h"

namespace refract {
inline namespace signature {
namespace {

/// The end of the run of characters from `at` for which `is` holds.
template <class Is>
size_t End(std::string_view text, size_t at, const Is& is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}
char Before(std::string_view text, size_t at) {
  return at == 0 ? ' ' : text[at - 1];
}
char At(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : ' ';
}
bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string Demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name != nullptr ? name.get() : symbol;
}

std::string MangledNames(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = End(text, at, IsWord);
    const std::string_view word = text.substr(at, end - at);
    if (word.starts_with("_Z") && word.size() > 3) {
      result += FunctionName(word);
    } else {
      result += word;
    }
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

bool IsPathCharacter(char c) {
  return IsWord(c) || (c != '\0' && std::string_view("./+~@-\\").find(c) != std::string_view::npos);
}

/// Whether a file may be an input of a tool (a module, a shader). Such files have other names in
/// each run.
bool IsInputFile(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos &&
         OneOf(name.substr(dot),
               {".spv",   ".spvasm", ".frag",    ".vert", ".comp", ".geom",  ".tesc", ".tese",
                ".mesh",  ".task",   ".glsl",    ".hlsl", ".wgsl", ".metal", ".msl",  ".asm",
                ".amber", ".json",   ".refract", ".txt",  ".tmp",  ".bin",   ".png"});
}

/// The end of a position in a file, ":12:3" or "(12,3)", that begins at `at`.
size_t EndOfPlace(std::string_view text, size_t at) {
  while (At(text, at) == ':' && IsDigit(At(text, at + 1))) at = End(text, at + 1, IsDigit);
  if (At(text, at) == '(' && IsDigit(At(text, at + 1))) {
    const size_t end = End(text, at + 1, [](char c) { return IsDigit(c) || c == ','; });
    if (At(text, end) == ')') at = end + 1;
  }
  return at;
}

/// Replaces paths by the names of their files, and inputs and temporary files by "<file>". Removes
/// positions in files.
std::string Files(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = End(text, at, IsPathCharacter);
    if (end == at) {
      result += text[at++];
      continue;
    }
    while (end > at + 1 && (text[end - 1] == '.' || text[end - 1] == '-')) --end;  // punctuation
    const std::string_view token = text.substr(at, end - at);
    at = end;
    const size_t slash = token.find_last_of("/\\");
    const bool folders = slash != std::string_view::npos;
    const std::string_view name = folders ? token.substr(slash + 1) : token;
    const size_t dot = name.rfind('.');
    const bool has_ending = dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                            std::isalpha(static_cast<unsigned char>(name[dot + 1])) != 0;
    const bool rooted = token[0] == '/' || token[0] == '~' || token[0] == '\\' ||
                        token.starts_with("./") || token.starts_with("../");
    const bool is_path = folders && !name.empty() && (rooted || has_ending);
    const bool temporary =
        is_path && (token.starts_with("/tmp/") || token.starts_with("/var/tmp/"));
    if (IsInputFile(name) || temporary) {
      result += "<file>";
    } else {
      result += is_path ? name : token;
    }
    if (is_path || has_ending) at = EndOfPlace(text, at);
  }
  return result;
}

/// The end of a name of a value or block in Mesa, "ssa_12" or "BB3"; `at` if not found.
size_t EndOfMesaId(std::string_view text, size_t at) {
  for (const std::string_view prefix : {"ssa_", "BB"}) {
    if (!text.substr(at).starts_with(prefix)) continue;
    const size_t number = at + prefix.size(), end = End(text, number, IsDigit);
    if (end > number && !IsWord(At(text, end))) return end;
  }
  return at;
}

/// Replaces ids in the forms of modules and tools: %12, %foo, 12[%foo], <ID> 12, ssa_12.
std::string Ids(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool starts = !IsWord(Before(text, at));
    const bool named = text[at] == '%' && IsWord(At(text, at + 1));
    const size_t end_of_mesa_id = starts ? EndOfMesaId(text, at) : at;
    size_t end = at;
    if (end_of_mesa_id > at) {
      end = end_of_mesa_id;
    } else if (starts && named) {
      end = End(text, at + 1, IsWord);
    } else if (starts && IsDigit(text[at])) {
      end = End(text, at, IsDigit);
      const size_t close = text.find(']', end);
      const bool bracket = text.substr(end).starts_with("[%") && close != std::string_view::npos;
      end = bracket ? close + 1 : at;
    } else if (text.substr(at).starts_with("<ID> ") || text.substr(at).starts_with("<id> ")) {
      size_t number = at + 5;
      const bool quoted = At(text, number) == '\'';
      number += quoted;
      end = End(text, number, IsDigit);
      const size_t close = text.substr(end).starts_with("[%") ? text.find(']', end) : end;
      if (close != std::string_view::npos && close > end) end = close + 1;
      if (end == number) {
        end = at;
      } else if (quoted && At(text, end) == '\'') {
        ++end;
      }
    }
    if (end > at) {
      result += "<id>";
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// Replaces addresses: 0x1f, and words of 8 or more hexadecimal digits that contain letters and
/// digits, possibly with dashes (UUIDs).
std::string Addresses(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    // A number after a plus is an offset in a file, which is the same in every run.
    if (!IsWord(Before(text, at)) && Before(text, at) != '+' && IsHex(text[at])) {
      if (text[at] == '0' && (At(text, at + 1) == 'x' || At(text, at + 1) == 'X')) {
        end = End(text, at + 2, IsHex);
      } else {
        end = End(text, at, [](char c) { return IsHex(c) || c == '-' || c == '`'; });
        const std::string_view run = text.substr(at, end - at);
        const bool digit = std::any_of(run.begin(), run.end(), IsDigit);
        const bool letter =
            std::any_of(run.begin(), run.end(), [](char c) { return IsHex(c) && !IsDigit(c); });
        if (run.size() < 8 || !digit || !letter) end = at;
      }
      if (end > at && (end < at + 3 || IsWord(At(text, end)))) end = at;
    }
    if (end > at) {
      result += "<hex>";
      at = end;
    } else {
      const size_t next = IsWord(text[at]) ? End(text, at, IsWord) : at + 1;
      result += text.substr(at, next - at);
      at = next;
    }
  }
  return result;
}

/// The end of the template arguments that begin with the '<' at `at`; `at` if not found. They
/// may only contain types, values and other template arguments.
size_t EndOfArguments(std::string_view text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) return i + 1;
    if (!IsWord(c) && std::string_view("<>:, *&()-[]{}'#@").find(c) == std::string_view::npos) {
      break;
    }
    if (c == '<' && At(text, i + 1) == ' ') break;  // less than
  }
  return at;
}

std::string TemplateArguments(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool after_word = IsWord(Before(text, at)) && !result.ends_with("operator");
    const size_t end = text[at] == '<' && after_word ? EndOfArguments(text, at) : at;
    if (end > at) {
      result += "<>";
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// Replaces numbers that stand alone by N, except numbers that name something (an opcode, a
/// capability).
std::string Numbers(std::string_view text) {
  std::string result, word;
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at]) || IsWord(Before(text, at))) {
      const size_t end = IsWord(text[at]) ? End(text, at, IsWord) : at + 1;
      if (IsWord(text[at])) word = text.substr(at, end - at);
      result += text.substr(at, end - at);
      at = end;
      continue;
    }
    size_t end = End(text, at, IsDigit);
    while (At(text, end) == '.' && IsDigit(At(text, end + 1))) end = End(text, end + 1, IsDigit);
    if ((At(text, end) == 'e' || At(text, end) == 'E')) {
      const size_t sign = At(text, end + 1) == '-' || At(text, end + 1) == '+' ? 1 : 0;
      if (IsDigit(At(text, end + 1 + sign))) end = End(text, end + 1 + sign, IsDigit);
    }
    size_t suffix = End(text, end, [](char c) {
      return std::string_view("uUfFlL").find(c) != std::string_view::npos;
    });
    if (IsWord(At(text, suffix))) suffix = end;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // "VUID-VkFoo-bar-04711" is the name of a rule of Vulkan.
    const size_t token = result.find_last_of(" [") + 1;  // 0 if not found
    const bool names = IsWord(At(text, suffix)) || result.compare(token, 5, "VUID-") == 0 ||
                       OneOf(word, {"opcode", "capability", "xid", "signal", "vkresult", "exit",
                                    "vulkan", "spir", "version"});
    if (names) {
      suffix = End(text, end, IsWord);
      result += text.substr(at, suffix - at);
    } else {
      const bool minus =
          result.ends_with("-") && (result.size() < 2 || !IsWord(result[result.size() - 2]));
      if (minus) result.pop_back();
      result += 'N';
    }
    word.clear();
    at = suffix;
  }
  return result;
}

std::string Ends(std::string_view text) {
  constexpr std::string_view kAtEnd = " .:;,-=";
  const size_t first = text.find_first_not_of(" :;,-=");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kAtEnd) + 1 - first));
}

/// The position of the '(' that opens the parameters: the first one outside of all brackets that
/// does not begin "(anonymous" or "(lambda".
size_t OpeningOfParameters(std::string_view name) {
  int angle = 0, round = 0;
  size_t open = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool op = name.substr(0, i).ends_with("operator");
    if (name[i] == '<' && !op) ++angle;
    if (name[i] == '>' && !op && Before(name, i) != '-' && angle > 0) --angle;
    if (name[i] == '(' && angle == 0 && round++ == 0 && !op &&
        !name.substr(i).starts_with("(anonymous") && !name.substr(i).starts_with("(lambda")) {
      if (open == std::string_view::npos) open = i;
    }
    if (name[i] == ')' && angle == 0 && round > 0) --round;
  }
  return open;
}

}  // namespace

std::string FunctionName(std::string_view function) {
  std::string name(Trim(function.substr(0, 4096)));
  // GCC's __PRETTY_FUNCTION__ writes "{anonymous}", demanglers write "(anonymous namespace)".
  for (size_t at = name.find("{anonymous}"); at != std::string::npos;
       at = name.find("{anonymous}")) {
    name.replace(at, 11, "(anonymous namespace)");
  }
  if (name.starts_with("_Z")) name = Demangled(name.substr(0, name.find_first_of(" (+@")));
  if (const size_t open = OpeningOfParameters(name); open != std::string::npos && open > 0) {
    name.resize(open);
  }
  name = TemplateArguments(Trim(name));
  // The return type ends at the last blank outside of all brackets.
  const size_t op = name.find("operator");
  const size_t blank = name.substr(0, op).rfind(' ');
  const bool anonymous =
      blank != std::string::npos && name.substr(0, blank).ends_with("(anonymous");
  if (blank != std::string::npos && !anonymous) name.erase(0, blank + 1);
  if (anonymous) {
    const size_t earlier = name.rfind(' ', blank - 1);
    if (earlier != std::string::npos) name.erase(0, earlier + 1);
  }
  while (!name.empty() && (name[0] == '*' || name[0] == '&')) name.erase(0, 1);
  return name;
}

std::string Normalise(std::string_view text, const NormaliseOptions& options,
                      std::vector<Rewrite>* done) {
  constexpr size_t kMaxText = 4096;
  const auto user_names = [&](std::string_view line) {
    return WithoutShaderNames(line, options.names);
  };
  const struct {
    const char* name;
    std::function<std::string(std::string_view)> apply;
    bool to_source_text;
  } rules[] = {
      {"printable", Printable, true},
      {"mangled names", MangledNames, true},
      {"files", Files, true},
      {"user names", user_names, false},
      {"sizes of types", WithoutTypeSizes, false},
      {"ids", Ids, false},
      {"addresses", Addresses, false},
      {"template arguments", TemplateArguments, true},
      {"numbers", Numbers, false},
      {"ends", Ends, true},
  };
  std::string result(text.substr(0, kMaxText));
  for (const auto& rule : rules) {
    if (options.source_text && !rule.to_source_text) continue;
    std::string next = rule.apply(result);
    if (next != result && done != nullptr) done->push_back({rule.name, next});
    result = std::move(next);
  }
  return result;
}

std::string TruncateWithHash(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string digits = ContentHash(text).substr(0, 8);
  return format("{}~{}", text.substr(0, limit - 9), digits);
}

}  // namespace signature
}  // namespace refract
