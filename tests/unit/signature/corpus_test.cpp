// SPDX-License-Identifier: Apache-2.0
// Signatures of a corpus of failure logs. A file NAME.log begins with lines of its own:
//   ; a description           one line
//   ; bug: OTHER              the same bug as in OTHER.log, and so the same signature
//   ; expect: SIGNATURE
// The rest is the input of `refract signature`: the output of a program, or a log that Refract
// wrote, with its facts. With BLESS in the environment, the test writes the actual signatures into
// `expect`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>

#include "base/file.h"
#include "base/text.h"
#include "signature/signature.h"

namespace refract {
namespace {

struct Log {
  std::string path, name;
  std::string about;
  std::string bug;  ///< the log whose signature it has; its own name if no other is given
  std::string expected;
  std::string text;
};

std::string SignatureOfLog(std::string_view text) {
  return SignatureOf(FailureFromLog(text)).text;
}

Log ReadLog(const std::string& path) {
  Log log;
  log.path = path;
  const size_t slash = path.rfind('/') + 1;
  log.name = log.bug = path.substr(slash, path.rfind('.') - slash);
  const Result<std::string> bytes = ReadFile(path);
  EXPECT_TRUE(bytes) << path;
  if (!bytes) return log;
  std::string_view rest = *bytes;
  while (rest.starts_with("; ")) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(2, end - 2);
    rest.remove_prefix(end + 1);
    if (line.starts_with("expect:")) {
      log.expected = Trim(line.substr(7));
      break;
    }
    if (line.starts_with("bug: ")) {
      log.bug = line.substr(5);
    } else {
      log.about = line;
    }
  }
  log.text = rest;
  return log;
}

const std::vector<Log>& Corpus() {
  static const std::vector<Log> logs = [] {
    std::vector<Log> all;
    const auto files = ListFiles(REFRACT_SOURCE_DIR "/tests/signatures");
    EXPECT_TRUE(files);
    if (!files) return all;
    for (const std::string& file : *files) {
      if (Extension(file) == ".log") all.push_back(ReadLog(file));
    }
    return all;
  }();
  return logs;
}

void Bless(const Log& log, const std::string& seen) {
  std::string text = format("; {}\n", log.about);
  if (log.bug != log.name) text += format("; bug: {}\n", log.bug);
  text += format("; expect: {}\n{}", seen, log.text);
  const Status written = WriteFile(log.path, text);
  EXPECT_TRUE(written) << written.error().message;
}

TEST(SignatureCorpus, EachLogHasItsSignature) {
  EXPECT_GE(Corpus().size(), 150u);
  for (const Log& log : Corpus()) {
    EXPECT_FALSE(log.about.empty()) << log.name << ": the first line says what the log is";
    const std::string seen = SignatureOfLog(log.text);
    if (seen == log.expected) continue;
    if (std::getenv("BLESS") != nullptr) {
      Bless(log, seen);
    } else {
      ADD_FAILURE() << log.name << "\n  expected " << log.expected << "\n  seen     " << seen;
    }
  }
}

TEST(SignatureCorpus, OneBugHasOneSignature) {
  std::map<std::string, const Log*> by_signature, by_bug;
  for (const Log& log : Corpus()) {
    const std::string seen = SignatureOfLog(log.text);
    const Log& same_text = *by_signature.emplace(seen, &log).first->second;
    EXPECT_EQ(same_text.bug, log.bug) << same_text.name << " and " << log.name << ": both " << seen;
    const Log& same_bug = *by_bug.emplace(log.bug, &log).first->second;
    EXPECT_EQ(SignatureOfLog(same_bug.text), seen) << same_bug.name << " and " << log.name;
  }
}

/// Replaces every match of `pattern` by what `rewrite` returns for it.
template <class Rewrite>
std::string Replaced(const std::string& text, const char* pattern, const Rewrite& rewrite) {
  const std::regex regex(pattern);
  std::string result;
  auto rest = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    result.append(rest, (*match)[0].first);
    result += rewrite(*match);
    rest = (*match)[0].second;
  }
  return result.append(rest, text.end());
}

std::string OtherIds(const std::string& log) {
  const auto id = [](const std::smatch& m) { return format("{}%{}", m.str(1), m.str(2) + "7"); };
  std::string text =
      Replaced(log, R"(\d+\[%[^\]]*\])", [](const std::smatch&) { return "4096[%other]"; });
  text = Replaced(text, R"((^|[^\w\[])%(\d+)\b)", id);
  return Replaced(text, R"((<id>|<ID>) ('?)\d+)",
                  [](const std::smatch& m) { return m.str(1) + " " + m.str(2) + "31337"; });
}

std::string OtherAddresses(const std::string& log) {
  return Replaced(log, R"(([^+\w][^+\w]|[\w:]\s)0x([0-9a-f]{6,16})\b)", [](const std::smatch& m) {
    std::string digits = m.str(2);
    for (char& c : digits) c = "3456789abcdef012"[c <= '9' ? c - '0' : c - 'a' + 10];
    return m.str(1) + "0x" + digits;
  });
}

std::string OtherFolders(const std::string& log) {
  std::string text = log;
  for (const auto& [from, to] : {std::pair{R"(/home/dev/)", "/build/other-1.2/x86_64/"},
                                 {R"(\.\./src/)", "/w/a/b/src/"},
                                 {R"(\.\./source/)", "../../elsewhere/source/"},
                                 {R"(/usr/lib/x86_64-linux-gnu/)", "/opt/x/lib64/"},
                                 {R"(C:\\dev\\)", "D:\\agent\\1\\s\\"}}) {
    text = Replaced(text, from, [to = to](const std::smatch&) { return std::string(to); });
  }
  return text;
}

std::string OtherInputs(const std::string& log) {
  return Replaced(log, R"(\b(variant|0|1|v_17)\.(spv|spvasm|frag|hlsl|wgsl|amber|txt)\b)",
                  [](const std::smatch& m) { return "some_other-9." + m.str(2); });
}

std::string OtherThreads(const std::string& log) {
  std::string text = log;
  for (const char* pattern :
       {R"((==)\d+(==))", R"((thread T)\d+())", R"((LWP )\d+())", R"((pid[=: ]+)\d+())",
        R"((tid: )\d+())", R"((runner\[)\d+(\]))", R"((thread )\d+(:))"}) {
    text =
        Replaced(text, pattern, [](const std::smatch& m) { return m.str(1) + "60817" + m.str(2); });
  }
  return Replaced(text, R"(\[ *\d+\.\d{3,6}\] )",
                  [](const std::smatch&) { return "[    7.000123] "; });
}

std::string OtherPlaces(const std::string& log) {
  return Replaced(log, R"((\.(?:cpp|cc|c|h|hpp|rs)):\d+(:\d+)?)", [](const std::smatch& m) {
    return m.str(1) + ":6081" + (m[2].matched ? ":7" : "");
  });
}

std::string CarriageReturns(const std::string& log) {
  return Replaced(log, "\n", [](const std::smatch&) { return "\r\n"; });
}

std::string Coloured(const std::string& log) {
  return Replaced(log, R"((^|\n)(error:|ERROR:))", [](const std::smatch& m) {
    return m.str(1) + "\x1b[1;31m" + m.str(2) + "\x1b[0m";
  });
}

/// Quotes as programs print them in another locale.
std::string TypographicQuotes(const std::string& log) {
  if (log.find("panicked") != std::string::npos) return log;  // Rust does not use the locale
  return Replaced(log, "[`']([^`'\n]*)'",
                  [](const std::smatch& m) { return "\u2018" + m.str(1) + "\u2019"; });
}

std::string WithNoise(const std::string& log) {
  const std::string mark = "refract-log: output\n", noise = "loader: 3 layers are there\n\n";
  const size_t own = log.find(mark);
  const size_t at = own == std::string::npos ? 0 : own + mark.size();
  return log.substr(0, at) + noise + log.substr(at) + "\n12 jobs were run\n";
}

/// What `run -o` writes for the same failure.
std::string AsWeWriteIt(const std::string& log) {
  return LogText(FailureFromLog(log));
}

TEST(SignatureCorpus, IrrelevantDetailsDoNotChangeTheSignature) {
  constexpr struct {
    const char* what;
    std::string (*change)(const std::string&);
  } kChanges[] = {
      {"ids", OtherIds},
      {"addresses", OtherAddresses},
      {"folders", OtherFolders},
      {"names of inputs", OtherInputs},
      {"threads, processes, times", OtherThreads},
      {"lines of the source", OtherPlaces},
      {"line endings", CarriageReturns},
      {"colours", Coloured},
      {"quotes", TypographicQuotes},
      {"other output", WithNoise},
      {"our own form", AsWeWriteIt},
  };
  for (const auto& change : kChanges) {
    size_t changed = 0;
    for (const Log& log : Corpus()) {
      const std::string text = change.change(log.text);
      changed += text != log.text;
      EXPECT_EQ(SignatureOfLog(text), SignatureOfLog(log.text))
          << log.name << " with other " << change.what << ":\n"
          << text.substr(0, 2000);
    }
    EXPECT_GE(changed, 5u) << change.what << ": changes nothing";
  }
}

}  // namespace
}  // namespace refract
