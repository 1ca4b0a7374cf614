// SPDX-License-Identifier: Apache-2.0
// From a row to a module: operands are read from a buffer or are constants, each scalar of the
// result becomes a word or two of the other buffer.
#include "row.h"

#include <set>
#include <sstream>

#include "base/text.h"

namespace refract {
namespace {

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; stream >> part;) parts.push_back(part);
  return parts;
}

class RowWriter {
 public:
  RowWriter(const TableRow& row, const std::vector<Bits>& tuples, RowForm form)
      : row_(row), tuples_(tuples), form_(form) {}
  std::string Write();

 private:
  void Need(const TableType& type);
  std::string Constant(const TableType& scalar, uint64_t bits);
  std::string ConstantValue(const TableType& type, const uint64_t* bits);
  void Tuple(size_t number);
  std::string Loaded(const TableType& type, size_t* word);
  std::string LoadedScalar(const TableType& type, size_t* word);
  void Body(const std::vector<std::string>& operands);
  void StoreResult(size_t number);
  void StoreScalar(const TableType& type, const std::string& value);
  void StoreWord(const std::string& value);
  std::string Fresh() { return format("%t{}", next_++); }
  std::string Result(std::string_view what) {
    const std::string id = Fresh();
    code_ += format("{} = {}\n", id, what);
    return id;
  }
  std::string Capabilities() const;

  const TableRow& row_;
  const std::vector<Bits>& tuples_;
  const RowForm form_;
  std::string types_, code_, decorations_;
  std::set<std::string> known_;
  size_t next_ = 0, store_ = 0, tuple_ = 0;
};

void RowWriter::Need(const TableType& type) {
  const std::string name = type.Name();
  if (!known_.insert(name).second) return;
  if (type.columns > 1) {
    known_.erase(name);
    Need(type.Column());
    known_.insert(name);
    types_ += format("%{} = OpTypeMatrix %{} {}\n", name, type.Column().Name(), type.columns);
  } else if (type.rows > 1) {
    known_.erase(name);
    Need(type.Scalar());
    known_.insert(name);
    types_ += format("%{} = OpTypeVector %{} {}\n", name, type.Scalar().Name(), type.rows);
  } else if (type.kind == 'b') {
    types_ += "%b = OpTypeBool\n";
  } else if (type.kind == 'f') {
    types_ += format("%{} = OpTypeFloat {}\n", name, type.width);
  } else {
    types_ += format("%{} = OpTypeInt {} {}\n", name, type.width, type.kind == 'i' ? 1 : 0);
  }
}

std::string RowWriter::Constant(const TableType& scalar, uint64_t bits) {
  const std::string id = format("%c_{}_{:x}", scalar.Name(), bits);
  if (!known_.insert(id).second) return id;
  if (scalar.kind == 'b') {
    types_ += format("{} = {} %b\n", id, bits != 0 ? "OpConstantTrue" : "OpConstantFalse");
  } else {
    if (scalar.kind == 'i') bits = static_cast<uint64_t>(SignExtended(bits, scalar.width));
    types_ += format("{} = OpConstant %{} !{}", id, scalar.Name(), static_cast<uint32_t>(bits));
    types_ += scalar.width == 64 ? format(" !{}\n", static_cast<uint32_t>(bits >> 32)) : "\n";
  }
  return id;
}

std::string RowWriter::ConstantValue(const TableType& type, const uint64_t* bits) {
  if (type.scalars() == 1) return Constant(type, *bits);
  std::string parts;
  const TableType part = type.columns > 1 ? type.Column() : type.Scalar();
  for (size_t i = 0; i < type.scalars(); i += part.scalars()) {
    parts += " " + ConstantValue(part, bits + i);
  }
  const std::string id = Fresh();
  types_ += format("{} = OpConstantComposite %{}{}\n", id, type.Name(), parts);
  return id;
}

std::string RowWriter::LoadedScalar(const TableType& type, size_t* word) {
  const auto load = [&] {
    const std::string at =
        Result(format("OpIAdd %u32 %base {}", Constant({'u', 32, 1, 1}, (*word)++)));
    const std::string pointer = Result(format("OpAccessChain %p_word %in %c_u32_0 {}", at));
    return Result(format("OpLoad %u32 {}", pointer));
  };
  const std::string low = load(), name = type.Name();
  if (type.kind == 'b') return Result(format("OpINotEqual %b {} %c_u32_0", low));
  if (type.width == 64) {
    const std::string both = Result(format("OpCompositeConstruct %v2u32 {} {}", low, load()));
    return Result(format("OpBitcast %{} {}", name, both));
  }
  if (name == "u32") return low;
  if (type.width == 32) return Result(format("OpBitcast %{} {}", name, low));
  const TableType bits{'u', type.width, 1, 1};
  Need(bits);
  const std::string cut = Result(format("OpUConvert %{} {}", bits.Name(), low));
  return type.kind == 'u' ? cut : Result(format("OpBitcast %{} {}", name, cut));
}

std::string RowWriter::Loaded(const TableType& type, size_t* word) {
  if (type.scalars() == 1) return LoadedScalar(type, word);
  const TableType part = type.columns > 1 ? type.Column() : type.Scalar();
  std::string parts;
  for (size_t i = 0; i < type.scalars(); i += part.scalars()) parts += " " + Loaded(part, word);
  return Result(format("OpCompositeConstruct %{}{}", type.Name(), parts));
}

void RowWriter::Body(const std::vector<std::string>& operands) {
  std::string body = row_.body;
  const std::vector<TableType> results = row_.ResultTypes();
  const std::string type = results.size() > 1 ? "%results" : "%" + results[0].Name();
  if (body.empty()) {
    const bool is_core = row_.instruction.starts_with("Op");
    body = is_core ? format("$r = {} {}", row_.instruction, type)
                   : format("$r = OpExtInst {} %glsl {}", type, row_.instruction);
    for (size_t i = 0; i < operands.size(); ++i) body += format(" ${}", i);
  }
  const std::string result = format("%r_{}", tuple_);
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '~') {
      code_ += format("_{}", tuple_);
    } else if (body[i] != '$') {
      code_ += body[i];
    } else if (body[++i] == 'r') {
      code_ += result;
    } else {
      code_ += operands.at(static_cast<size_t>(body[i] - '0'));
    }
  }
  code_ += "\n";
  if (row_.no_contraction) decorations_ += format("OpDecorate {} NoContraction\n", result);
}

void RowWriter::StoreWord(const std::string& value) {
  std::string at;
  if (form_ == RowForm::kConstants) {
    at = Constant({'u', 32, 1, 1}, store_++);
  } else {
    at = Result(format("OpIAdd %u32 %to {}", Constant({'u', 32, 1, 1}, store_++)));
  }
  const std::string pointer = Result(format("OpAccessChain %p_word %out %c_u32_0 {}", at));
  code_ += format("OpStore {} {}\n", pointer, value);
}

void RowWriter::StoreScalar(const TableType& type, const std::string& value) {
  if (type.kind == 'b') {
    return StoreWord(Result(format("OpSelect %u32 {} %c_u32_1 %c_u32_0", value)));
  }
  if (type.width == 64) {
    const std::string both = Result(format("OpBitcast %v2u32 {}", value));
    StoreWord(Result(format("OpCompositeExtract %u32 {} 0", both)));
    return StoreWord(Result(format("OpCompositeExtract %u32 {} 1", both)));
  }
  if (type.width == 32) {
    return StoreWord(type.kind == 'u' ? value : Result(format("OpBitcast %u32 {}", value)));
  }
  const TableType bits{'u', type.width, 1, 1};
  Need(bits);
  const std::string cut =
      type.kind == 'u' ? value : Result(format("OpBitcast %{} {}", bits.Name(), value));
  StoreWord(Result(format("OpUConvert %u32 {}", cut)));
}

void RowWriter::StoreResult(size_t number) {
  const std::vector<TableType> results = row_.ResultTypes();
  for (size_t i = 0; i < results.size(); ++i) {
    const TableType& type = results[i];
    for (int column = 0; column < type.columns; ++column) {
      for (int component = 0; component < type.rows; ++component) {
        std::string path = results.size() > 1 ? format(" {}", i) : "";
        if (type.columns > 1) path += format(" {}", column);
        if (type.rows > 1) path += format(" {}", component);
        std::string value = format("%r_{}", number);
        if (!path.empty()) {
          value = Result(format("OpCompositeExtract %{} {}{}", type.Scalar().Name(), value, path));
        }
        StoreScalar(type.Scalar(), value);
      }
    }
  }
}

void RowWriter::Tuple(size_t number) {
  tuple_ = number;
  std::vector<std::string> operands;
  size_t word = 0;
  const uint64_t* bits = form_ == RowForm::kConstants ? tuples_[number].data() : nullptr;
  for (const TableType& type : row_.OperandTypes()) {
    if (form_ == RowForm::kConstants) {
      operands.push_back(ConstantValue(type, bits));
      bits += type.scalars();
    } else {
      operands.push_back(Loaded(type, &word));
    }
  }
  Body(operands);
  StoreResult(number);
}

std::string RowWriter::Capabilities() const {
  std::string lines = "OpCapability Shader\n";
  const std::pair<const char*, const char*> widths[] = {
      {"u8", "Int8"},   {"i8", "Int8"},   {"u16", "Int16"},   {"i16", "Int16"},
      {"u64", "Int64"}, {"i64", "Int64"}, {"f16", "Float16"}, {"f64", "Float64"}};
  std::set<std::string> have;
  for (const auto& [type, capability] : widths) {
    if (known_.count(type) != 0 && have.insert(capability).second) {
      lines += format("OpCapability {}\n", capability);
    }
  }
  return lines + row_.capabilities;
}

std::string RowWriter::Write() {
  Need(ParseType("v3u32"));
  Need(ParseType("v2u32"));
  Need(ParseType("b"));
  Need(ParseType("i32"));
  Need(ParseType("f32"));
  std::string fields;
  for (const TableType& type : row_.OperandTypes()) Need(type);
  for (const TableType& type : row_.ResultTypes()) {
    Need(type);
    fields += " %" + type.Name();
  }
  for (const std::string& type : Split(row_.types)) Need(ParseType(type));
  if (row_.ResultTypes().size() > 1) types_ += format("%results = OpTypeStruct{}\n", fields);
  Constant({'u', 32, 1, 1}, 0);
  Constant({'u', 32, 1, 1}, 1);
  size_t in_words = 0;
  for (const TableType& type : row_.OperandTypes()) in_words += type.words();
  if (form_ == RowForm::kConstants) {
    for (size_t i = 0; i < tuples_.size(); ++i) Tuple(i);
  } else {
    code_ +=
        format(R"(%group3 = OpLoad %v3u32 %group
%group1 = OpCompositeExtract %u32 %group3 0
%base = OpIMul %u32 %group1 {}
%to = OpIMul %u32 %group1 {}
)",
               Constant({'u', 32, 1, 1}, in_words), Constant({'u', 32, 1, 1}, ResultWords(row_)));
    Tuple(0);
  }
  const std::string buffers = row_.version >= 4 ? " %in %out" : "";
  return Capabilities() +
         format(R"(OpExtension "SPV_KHR_storage_buffer_storage_class"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %group{} {}
OpExecutionMode %main LocalSize 1 1 1
{}OpDecorate %group BuiltIn WorkgroupId
OpDecorate %words ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
)",
                buffers, row_.interface, row_.modes) +
         row_.decorations + decorations_ + types_ + R"(%void = OpTypeVoid
%main_type = OpTypeFunction %void
%words = OpTypeRuntimeArray %u32
%buffer = OpTypeStruct %words
%p_buffer = OpTypePointer StorageBuffer %buffer
%p_word = OpTypePointer StorageBuffer %u32
%p_group = OpTypePointer Input %v3u32
%in = OpVariable %p_buffer StorageBuffer
%out = OpVariable %p_buffer StorageBuffer
%group = OpVariable %p_group Input
)" + row_.globals +
         "\n%main = OpFunction %void None %main_type\n%entry = OpLabel\n" + row_.locals + "\n" +
         code_ + "OpReturn\nOpFunctionEnd\n" + row_.functions;
}

}  // namespace

std::vector<TableType> TableRow::OperandTypes() const {
  std::vector<TableType> types;
  for (const std::string& text : operands) types.push_back(ParseType(text));
  return types;
}

std::vector<TableType> TableRow::ResultTypes() const {
  std::vector<TableType> types;
  for (const std::string& text : Split(result)) types.push_back(ParseType(text));
  return types;
}

std::string TableRow::Name() const {
  std::string name = format("{} {} <-", instruction, result);
  for (const std::string& operand : operands) name += " " + operand;
  if (no_contraction) name += " NoContraction";
  return name;
}

TableRow OnVectors(const TableRow& row, int n) {
  TableRow wide = row;
  const auto widen = [&](const std::string& text) {
    TableType type = ParseType(text);
    type.rows = n;
    return type.Name();
  };
  wide.result.clear();
  for (const TableType& type : row.ResultTypes()) {
    wide.result += (wide.result.empty() ? "" : " ") + widen(type.Name());
  }
  for (std::string& operand : wide.operands) operand = widen(operand);
  // No trapping tuple: which component it is would not be known.
  std::vector<Bits> tuples;
  for (const Bits& tuple : row.tuples) {
    if (!row.want || row.want(tuple).kind != Want::Kind::kTrap) tuples.push_back(tuple);
  }
  const auto size = static_cast<size_t>(n);
  wide.tuples.clear();
  for (size_t first = 0; first < tuples.size(); first += size) {
    Bits together;
    for (size_t operand = 0; operand < row.operands.size(); ++operand) {
      for (size_t i = 0; i < size; ++i) {
        together.push_back(tuples[(first + i) % tuples.size()][operand]);
      }
    }
    wide.tuples.push_back(std::move(together));
  }
  const auto component = [size, operands = row.operands.size()](const Bits& in, size_t i) {
    Bits scalar;
    for (size_t operand = 0; operand < operands; ++operand)
      scalar.push_back(in[operand * size + i]);
    return scalar;
  };
  if (row.want) {
    wide.want = [want = row.want, component, size](const Bits& in) {
      std::vector<Want> wants;
      for (size_t i = 0; i < size; ++i) {
        wants.push_back(want(component(in, i)));
        if (wants.back().kind != Want::Kind::kValue) return wants.back();
      }
      Want all = Want::Value({});
      for (size_t result = 0; result < wants[0].bits.size(); ++result) {
        for (const Want& one : wants) all.bits.push_back(one.bits[result]);
      }
      return all;
    };
  }
  if (row.allowed) {
    wide.allowed = [allowed = row.allowed, component, size](const Bits& in, size_t place) {
      return allowed(component(in, place % size), place / size);
    };
  }
  if (row.wrong) {
    wide.wrong = [wrong = row.wrong, component, size](const std::string& who, const Bits& in) {
      for (size_t i = 0; i < size; ++i) {
        if (wrong(who, component(in, i))) return true;
      }
      return false;
    };
  }
  return wide;
}

std::string RowAssembly(const TableRow& row, const std::vector<Bits>& tuples, RowForm form) {
  return RowWriter(row, tuples, form).Write();
}

std::string OperandBytes(const TableRow& row, const std::vector<Bits>& tuples) {
  std::string bytes;
  const auto put = [&](uint64_t word) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(word >> (8 * i) & 0xff);
  };
  const std::vector<TableType> types = row.OperandTypes();
  for (const Bits& tuple : tuples) {
    size_t scalar = 0;
    for (const TableType& type : types) {
      for (size_t i = 0; i < type.scalars(); ++i, ++scalar) {
        put(tuple.at(scalar) & 0xffffffff);
        if (type.width == 64) put(tuple[scalar] >> 32);
      }
    }
  }
  return bytes;
}

size_t ResultWords(const TableRow& row) {
  size_t words = 0;
  for (const TableType& type : row.ResultTypes()) words += type.words();
  return words;
}

}  // namespace refract
