// SPDX-License-Identifier: Apache-2.0
#include "reduce/answer_journal.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace reduce {
namespace {

constexpr std::string_view kHeader = "refract reduce, journal 1: ";

Error CannotWrite(const std::string& path) {
  return Error{format("{}: cannot write: {}", path, std::strerror(errno)), ErrorKind::kFailed};
}

}  // namespace

Result<AnswerJournal> AnswerJournal::Open(const std::string& path, const std::string& key,
                                          bool resume) {
  AnswerJournal answers;
  answers.path_ = path;
  const std::string header = format("{}{}\n", kHeader, key);
  std::string kept = header;
  if (resume && FileExists(path)) {
    const Result<std::string> bytes = ReadFile(path);
    if (!bytes) return bytes.error();
    // A journal whose header is incomplete has no answers: the reduction was killed before it wrote
    // one.
    if (bytes->find('\n') != std::string::npos && !bytes->starts_with(header)) {
      return Error{
          format("{}: this journal belongs to another reduction (of another module, recording "
                 "or interestingness test); remove it or omit --resume",
                 path)};
    }
    const size_t end = bytes->rfind('\n');  // an incomplete last line is ignored
    const size_t begin = std::min(header.size(), end == std::string::npos ? 0 : end + 1);
    for (const std::string& line : Split(bytes->substr(begin, end + 1 - begin), '\n')) {
      if (line.size() < 3 || line[1] != ' ' || (line[0] != '+' && line[0] != '-')) continue;
      const std::string hash = line.substr(2);
      answers.known_.emplace(hash, line[0] == '+');
      answers.resumed_[hash].push_back(line[0] == '+');
      kept += format("{}\n", line);
    }
  }
  // Writes the journal again without the incomplete line.
  if (Status written = WriteFile(path, kept); !written) return written.error();
  answers.journal_.reset(std::fopen(path.c_str(), "ae"));
  if (answers.journal_ == nullptr) return CannotWrite(path);
  return answers;
}

std::optional<bool> AnswerJournal::Find(const std::string& hash) const {
  const auto found = known_.find(hash);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::optional<bool> AnswerJournal::TakeResumed(const std::string& hash) {
  const auto found = resumed_.find(hash);
  if (found == resumed_.end() || found->second.empty()) return std::nullopt;
  const bool answer = found->second.front();
  found->second.pop_front();
  return answer;
}

Status AnswerJournal::Record(const std::string& hash, bool interesting) const {
  if (journal_ == nullptr) return {};
  const std::string line = format("{} {}\n", interesting ? '+' : '-', hash);
  if (std::fwrite(line.data(), 1, line.size(), journal_.get()) != line.size() ||
      std::fflush(journal_.get()) != 0) {
    return CannotWrite(path_);
  }
  return {};
}

}  // namespace reduce
}  // namespace refract
