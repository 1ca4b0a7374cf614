// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace refract::fuzz {
namespace {

constexpr size_t kHeader = 5;
// The limit on the size of a damaged file, so that repetition does not add up.
constexpr size_t kMaxBytes = size_t{1} << 20;

uint64_t Extreme(Random& random) {
  static constexpr uint64_t kExtremes[] = {0,
                                           1,
                                           2,
                                           31,
                                           32,
                                           64,
                                           0x7f,
                                           0xff,
                                           0xffff,
                                           0x10000,
                                           4194302,
                                           4194303,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x100000000,
                                           0x7fffffffffffffff,
                                           0xffffffffffffffff};
  return kExtremes[random.Below(std::size(kExtremes))];
}

/// How many times to damage: mostly once or twice, since heavy damage is detected at once.
uint64_t Times(Random& random) {
  uint64_t times = 1;
  while (times < 8 && random.Percent(40)) ++times;
  return times;
}

struct Range {
  size_t begin, size;
};

Range AnyRange(size_t size, size_t most, Random& random) {
  if (size == 0) return {0, 0};
  const size_t begin = random.Below(size);
  return {begin, 1 + random.Below(std::min(most, size - begin))};
}

void DamageBytesOnce(std::string& bytes, const std::string& other, Random& random) {
  if (bytes.empty()) {
    bytes.push_back(static_cast<char>(random.Next()));
    return;
  }
  const size_t at = random.Below(bytes.size());
  switch (random.Below(8)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
    case 2:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
      break;
    case 3:
      bytes[at] = static_cast<char>(random.Next());
      break;
    case 4: {
      const Range range = AnyRange(bytes.size(), 64, random);
      bytes.erase(range.begin, range.size);
      break;
    }
    case 5: {
      const Range range = AnyRange(bytes.size(), 256, random);
      const std::string copy = bytes.substr(range.begin, range.size);
      bytes.insert(at, copy);
      break;
    }
    case 6: {
      const Range range = AnyRange(other.size(), other.size(), random);
      bytes = bytes.substr(0, at) + other.substr(range.begin, range.size);
      break;
    }
    default:
      for (size_t i = at; i < std::min(bytes.size(), at + 8); ++i) {
        bytes[i] = static_cast<char>(Extreme(random));
      }
  }
}

// --- modules

/// The starts of instructions, as far as their lengths can be followed; the end is the last entry.
std::vector<size_t> Starts(const std::vector<uint32_t>& words) {
  std::vector<size_t> starts;
  size_t at = std::min(kHeader, words.size());
  while (at < words.size()) {
    starts.push_back(at);
    const size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) break;
    at += count;
  }
  starts.push_back(std::min(at, words.size()));
  return starts;
}

/// One instruction, or a few consecutive ones.
Range AnyInstructions(const std::vector<size_t>& starts, Random& random) {
  if (starts.size() < 2) return {0, 0};
  const size_t first = random.Below(starts.size() - 1);
  const size_t count = random.Percent(80) ? 1 : 1 + random.Below(12);
  const size_t last = std::min(first + count, starts.size() - 1);
  return {starts[first], starts[last] - starts[first]};
}

using Words = std::vector<uint32_t>;

Words Copy(const Words& words, Range range) {
  const auto begin = words.begin() + static_cast<ptrdiff_t>(range.begin);
  return Words(begin, begin + static_cast<ptrdiff_t>(range.size));
}

void Erase(Words& words, Range range) {
  const auto begin = words.begin() + static_cast<ptrdiff_t>(range.begin);
  words.erase(begin, begin + static_cast<ptrdiff_t>(range.size));
}

void Insert(Words& words, size_t at, const Words& more) {
  words.insert(words.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
}

void DamageInstruction(Words& words, Random& random) {
  const std::vector<size_t> starts = Starts(words);
  const Range range = AnyInstructions(starts, random);
  if (range.size == 0) return;
  uint32_t& first = words[range.begin];
  switch (random.Below(6)) {
    case 0:  // another length
      first = (first & 0xffff) | static_cast<uint32_t>((first >> 16) + random.Between(0, 4) - 2)
                                     << 16;
      break;
    case 1:  // another opcode
      first = (first & 0xffff0000) | static_cast<uint32_t>(random.Below(450));
      break;
    case 2:
      Erase(words, range);
      break;
    case 3:
      Insert(words, starts[random.Below(starts.size())], Copy(words, range));
      break;
    case 4: {  // moved
      const Words moved = Copy(words, range);
      Erase(words, range);
      const std::vector<size_t> left = Starts(words);
      Insert(words, left[random.Below(left.size())], moved);
      break;
    }
    default:  // a literal or an id
      if (range.size > 1) {
        words[range.begin + 1 + random.Below(range.size - 1)] =
            static_cast<uint32_t>(random.Below(60));
      }
  }
}

void DamageModuleOnce(Words& words, const Words& other, Random& random) {
  if (words.empty()) return;
  const size_t at = random.Below(words.size());
  switch (random.Below(12)) {
    case 0:
      words.resize(at);
      break;
    case 1:
      words[at] ^= 1u << random.Below(32);
      break;
    case 2:
      words[at] = static_cast<uint32_t>(Extreme(random));
      break;
    case 3:
      std::swap(words[at], words[random.Below(words.size())]);
      break;
    case 4:
    case 5:
      words[at] = words[random.Below(words.size())];
      break;
    case 6: {  // the head of one and the tail of the other
      const std::vector<size_t> mine = Starts(words);
      const std::vector<size_t> theirs = Starts(other);
      words.resize(mine[random.Below(mine.size())]);
      const size_t from = theirs[random.Below(theirs.size())];
      words.insert(words.end(), other.begin() + static_cast<ptrdiff_t>(from), other.end());
      break;
    }
    case 7: {
      const Words taken = Copy(other, AnyInstructions(Starts(other), random));
      const std::vector<size_t> starts = Starts(words);
      Insert(words, starts[random.Below(starts.size())], taken);
      break;
    }
    case 8:  // the header, bound and version most of all
      if (words.size() >= kHeader && random.Percent(30)) {
        words[random.Below(kHeader)] = static_cast<uint32_t>(Extreme(random));
      }
      break;
    default:
      DamageInstruction(words, random);
  }
}

// --- text

/// The next number or word at or after `from`; empty if not found.
Range NextToken(const std::string& text, size_t from, bool number) {
  const auto is_part = [&](char c) {
    const auto u = static_cast<unsigned char>(c);
    return number ? std::isdigit(u) != 0 : std::isalnum(u) != 0 || c == '_';
  };
  for (size_t begin = from; begin < text.size(); ++begin) {
    if (!is_part(text[begin])) continue;
    size_t end = begin;
    while (end < text.size() && is_part(text[end])) ++end;
    return {begin, end - begin};
  }
  return {0, 0};
}

Range LineAt(const std::string& text, size_t at) {
  const size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  const size_t end = text.find('\n', begin);
  return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
}

void DamageTextOnce(std::string& text, const std::string& other, Random& random) {
  if (text.empty() || other.empty()) return;
  const size_t at = random.Below(text.size());
  const size_t there = random.Below(other.size());
  const bool number = random.Percent(75);
  const Range mine = NextToken(text, at, number);
  switch (random.Below(8)) {
    case 0:
    case 1:
    case 2: {  // replaces a number by a number, a word by a word
      const std::string& from = random.Percent(80) ? text : other;
      const Range token = NextToken(from, random.Below(from.size()), number);
      const std::string replacement = from.substr(token.begin, token.size);
      text.replace(mine.begin, mine.size, replacement);
      break;
    }
    case 3:
      text.replace(mine.begin, mine.size, format("{}", Extreme(random)));
      break;
    case 4: {
      const Range line = LineAt(other, there);
      const std::string copy = other.substr(line.begin, line.size);
      text.insert(LineAt(text, at).begin, copy);
      break;
    }
    case 5: {
      const Range line = LineAt(text, at);
      text.erase(line.begin, line.size);
      break;
    }
    case 6: {  // a name, value or field given twice
      const std::string copy = text.substr(mine.begin, mine.size);
      text.insert(mine.begin, copy + (number ? "" : " "));
      break;
    }
    default:
      DamageBytesOnce(text, other, random);
  }
}

}  // namespace

std::string DamageBytes(std::string bytes, const std::string& other, Random& random) {
  for (uint64_t i = Times(random); i > 0; --i) DamageBytesOnce(bytes, other, random);
  if (bytes.size() > kMaxBytes) bytes.resize(kMaxBytes);
  return bytes;
}

std::vector<uint32_t> DamageModule(std::vector<uint32_t> words, const std::vector<uint32_t>& other,
                                   Random& random) {
  for (uint64_t i = Times(random); i > 0; --i) DamageModuleOnce(words, other, random);
  if (words.size() > kMaxBytes / 4) words.resize(kMaxBytes / 4);
  return words;
}

std::string DamageText(std::string text, const std::string& other, Random& random) {
  for (uint64_t i = Times(random); i > 0; --i) DamageTextOnce(text, other, random);
  if (text.size() > kMaxBytes) text.resize(kMaxBytes);
  return text;
}

}  // namespace refract::fuzz
