// SPDX-License-Identifier: Apache-2.0
#include "transform/synonym/words.h"

#include <algorithm>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using Op = spv::Op;

class WordMaker {
 public:
  WordMaker(ContextEditor& editor, Inst before, Id value, uint64_t role)
      : editor_(editor),
        module_(editor.module()),
        before_(before),
        value_(value),
        name_(module_.NameOf(value)),
        role_(role),
        word_(Declare(editor, WordType())) {}

  // Adds the words of the part of the value at this path, which has this type.
  void Add(Id type, const Args& path, std::vector<Id>* words) {
    if (ScalarType(module_, type) == type) {
      words->push_back(ToWord(path.empty() ? value_ : Extract(type, path), type));
      ++part_;
      return;
    }
    const uint32_t count = *PartCount(module_, type);
    for (uint32_t i = 0; i < count; ++i) {
      Args deeper = path;
      deeper.push_back(i);
      Add(PartType(module_, type, i), deeper, words);
    }
  }

 private:
  enum ResultKind : uint64_t { kExtracted = 1, kBits = 2, kWord = 3 };

  Id Put(Op opcode, Id type, ResultKind kind, const Args& args) {
    return editor_.InsertValue(before_, opcode, type, editor_.Made(role_, name_, part_, kind),
                               args);
  }

  Id Extract(Id type, const Args& path) {
    Args args{value_};
    args.insert(args.end(), path.begin(), path.end());
    return Put(Op::OpCompositeExtract, type, kExtracted, args);
  }

  Id ToWord(Id number, Id type) {
    if (IsBool(module_, type)) {
      const Id one = Declare(editor_, ScalarConstant(WordType(), 1));
      const Id zero = Declare(editor_, ScalarConstant(WordType(), 0));
      return Put(Op::OpSelect, word_, kWord, {number, one, zero});
    }
    const uint32_t width = Width(module_, type);
    if (IsFloat(module_, type)) {
      number = Put(Op::OpBitcast, Declare(editor_, IntType(width, false)), kBits, {number});
    }
    return width == 32 ? number : Put(Op::OpUConvert, word_, kWord, {number});
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst before_;
  const Id value_;
  const Name name_;
  const uint64_t role_;
  const Id word_;
  uint64_t part_ = 0;  // number of the next part
};

bool CanBeWord(const Module& module, Id scalar) {
  if (IsBool(module, scalar) || IsInt(module, scalar)) return true;
  return IsFloat(module, scalar) && IsDeclarableHere(module, IntType(Width(module, scalar), false));
}

}  // namespace

message::Type WordType() {
  return IntType(32, false);
}

bool AreWords(const Module& module, Id type) {
  const Id scalar = ScalarType(module, type);
  if (scalar != Id::kNone) return CanBeWord(module, scalar);
  const uint32_t count = PartCount(module, type).value_or(0);
  const bool is_struct = TypeOpcode(module, type) == Op::OpTypeStruct;
  for (uint32_t i = 0; i < (is_struct ? count : std::min(count, 1u)); ++i) {
    if (IsRepeatedMember(module, type, i)) continue;
    if (!AreWords(module, PartType(module, type, i))) return false;
  }
  return true;
}

std::vector<Id> WordsOf(ContextEditor& editor, Inst before, Id value, uint64_t role) {
  std::vector<Id> words;
  WordMaker(editor, before, value, role).Add(editor.module().TypeOf(value), {}, &words);
  return words;
}

}  // namespace transform
}  // namespace refract
