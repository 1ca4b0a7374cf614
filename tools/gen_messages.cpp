// SPDX-License-Identifier: Apache-2.0
// Reads the descriptors of proto/ and generates the code that separates protobuf from the rest of
// the program:
//   message/NAME.h               one plain struct per transformation, or all of one other .proto
//   message/all.h, names.cpp     all of them; NamesIn for each
//   message/visits.def           for message/fields.cpp: the fields of each, one by one
//   message/transformations.def  the registry, in the order of the oneof
//   message/info.cpp             the comments, for `refract explain` and the reference page
//   wire/convert.h, convert.cpp  struct <-> protobuf message
// Files that would not change are not written, so that nothing is built again without need.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using fmt::format;
using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using std::string;
using Messages = std::vector<const Descriptor*>;

constexpr char kFirstLines[] =
    "// SPDX-License-Identifier: Apache-2.0\n// Generated from proto/.\n";
constexpr char kOpen[] = "\nnamespace refract::message {\n";
constexpr char kClose[] = "\n}  // namespace refract::message\n";

[[noreturn]] void Fail(const string& where, const string& what) {
  std::fprintf(stderr, "gen_messages: %s: %s\n", where.c_str(), what.c_str());
  std::exit(1);
}

// --- Names and comments ------------------------------------------------------------------------

// "split_block" and "SPLIT_BLOCK" are "SplitBlock".
string Camel(const string& name) {
  string camel;
  bool up = true;
  for (const char c : name) {
    if (c != '_') camel += static_cast<char>(up ? std::toupper(c) : std::tolower(c));
    up = c == '_';
  }
  return camel;
}

string Trim(const string& text) {
  const size_t first = text.find_first_not_of(" \n");
  return first == string::npos ? "" : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

// The lines of the comment, each without surrounding white space. A comment is required.
template <class D>
std::vector<string> Comment(const D* thing) {
  google::protobuf::SourceLocation place;
  std::vector<string> lines;
  if (thing->GetSourceLocation(&place)) {
    std::istringstream text(Trim(place.leading_comments + place.trailing_comments));
    for (string line; std::getline(text, line);) lines.push_back(Trim(line));
  }
  if (lines.empty()) Fail(thing->full_name(), "has no comment");
  return lines;
}

string Joined(const std::vector<string>& lines) {
  string text;
  for (const string& line : lines) text += (text.empty() || line.empty() ? "" : " ") + line;
  return text;
}

// The parts of a transformation's comment, which has a fixed form, as a C++ initialiser.
string DocParts(const Descriptor* message) {
  string rest = " " + Joined(Comment(message));
  if (rest.back() == '.') rest.pop_back();
  string parts;
  for (const string label : {"Family:", "Keeps:", "Needs:"}) {
    const size_t at = rest.rfind(" " + label + " ");
    if (at == string::npos) Fail(message->full_name(), format("its comment lacks '{}'", label));
    parts = format(", R\"({})\"{}", rest.substr(at + label.size() + 2), parts);
    rest.resize(at);
  }
  if (rest.empty()) Fail(message->full_name(), "its comment lacks a sentence");
  return format("R\"({})\"{}", Trim(rest), parts);
}

// --- What there is -----------------------------------------------------------------------------

struct Protos {
  Messages messages;                          // with a generated struct, in order
  std::vector<const FieldDescriptor*> kinds;  // the lines of the oneof
  std::map<const Descriptor*, const FieldDescriptor*> kind_of;
};

// "message/split_block.h", "message/values.h". Name and Transformation are hand-written.
string HeaderOf(const Protos& protos, const Descriptor* message) {
  if (message->name() == "Transformation") return "message/any.h";
  if (message->name() == "Name") return "base/name.h";
  const auto kind = protos.kind_of.find(message);
  if (kind != protos.kind_of.end()) return format("message/{}.h", kind->second->name());
  return format("message/{}.h", std::filesystem::path(message->file()->name()).stem().string());
}

std::vector<const FieldDescriptor*> Fields(const Descriptor* message) {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < message->field_count(); ++i) fields.push_back(message->field(i));
  return fields;
}

// "Type::Kind".
string EnumName(const EnumDescriptor* type) {
  const Descriptor* outer = type->containing_type();
  return (outer != nullptr ? outer->name() + "::" : "") + type->name();
}

string TypeName(const FieldDescriptor* field) {
  switch (field->type()) {
    case FieldDescriptor::TYPE_UINT32:
    case FieldDescriptor::TYPE_UINT64:
    case FieldDescriptor::TYPE_INT32:
    case FieldDescriptor::TYPE_INT64:
      return format("{}_t", field->type_name());
    case FieldDescriptor::TYPE_BOOL:
      return "bool";
    case FieldDescriptor::TYPE_BYTES:
      return "std::string";
    case FieldDescriptor::TYPE_ENUM:
      return EnumName(field->enum_type());
    case FieldDescriptor::TYPE_MESSAGE:
      if (field->message_type()->name() == "Transformation") return "AnyMessage";
      return field->message_type()->name();
    default:
      Fail(field->full_name(), format("fields of type {} are not supported", field->type_name()));
  }
}

string Declaration(const FieldDescriptor* field) {
  const string type = TypeName(field);
  if (field->is_repeated()) return format("std::vector<{}> {} = {{}};", type, field->name());
  if (type == "bool") return format("bool {} = false;", field->name());
  if (const EnumDescriptor* values = field->enum_type()) {
    return format("{0} {1} = {0}::k{2};", type, field->name(), Camel(values->value(0)->name()));
  }
  const bool number = type.find("int") != string::npos;
  return format("{} {} = {};", type, field->name(), number ? "0" : "{}");
}

void CheckShape(const Protos& protos, const Descriptor* message) {
  if (message->nested_type_count() > 0) Fail(message->full_name(), "has nested messages");
  if (message->oneof_decl_count() > 0) Fail(message->full_name(), "has a oneof");
  if (message->file()->FindMessageTypeByName("Transformation") && !protos.kind_of.count(message)) {
    Fail(message->full_name(), "is not in the oneof, and shared messages have a file of their own");
  }
  for (const FieldDescriptor* field : Fields(message)) {
    const Descriptor* type = field->message_type();
    if (type == nullptr || type->file() != message->file()) continue;
    // A struct can contain another by value only if that is complete, and itself only in a vector.
    if (type->index() > message->index() || (type == message && !field->is_repeated())) {
      Fail(field->full_name(), "its type has to be declared before");
    }
  }
}

// --- The structs -------------------------------------------------------------------------------

string Enum(const EnumDescriptor* type) {
  string text =
      format("  /// {}\n  enum class {} : int32_t {{\n", Joined(Comment(type)), type->name());
  for (int i = 0; i < type->value_count(); ++i) {
    text += format("    k{} = {},\n", Camel(type->value(i)->name()), type->value(i)->number());
  }
  return text + "  };\n";
}

string Struct(const Protos& protos, const Descriptor* message) {
  string text = "\n";
  for (const string& line : Comment(message)) text += format("/// {}\n", line);
  text += format("struct {} {{\n", message->name());
  for (int i = 0; i < message->enum_type_count(); ++i) text += Enum(message->enum_type(i));
  for (const FieldDescriptor* field : Fields(message)) {
    text += format("  {}  ///< {}\n", Declaration(field), Joined(Comment(field)));
  }
  text += format(
      "\n  friend bool operator==(const {0}&, const {0}&) = default;\n}};\n"
      "void NamesIn(const {0}& message, NameSink& sink);\n",
      message->name());
  const auto kind = protos.kind_of.find(message);
  if (kind == protos.kind_of.end()) return text;
  return text + format("template <>\ninline constexpr int kKindOf<{}> = {};\n", message->name(),
                       kind->second->number());
}

string Header(const Protos& protos, const string& path, const Messages& messages) {
  std::set<string> includes = {"message/kind.h"};
  string body;
  for (const Descriptor* message : messages) {
    for (const FieldDescriptor* field : Fields(message)) {
      const Descriptor* type = field->message_type();
      if (type != nullptr) includes.insert(HeaderOf(protos, type));
    }
    body += Struct(protos, message);
  }
  includes.erase(path);
  string text = kFirstLines;
  text += "#pragma once\n\n#include <cstdint>\n#include <string>\n#include <vector>\n\n";
  for (const string& include : includes) text += format("#include \"{}\"\n", include);
  return text + kOpen + body + kClose;
}

string NamesIn(const Descriptor* message) {
  string text = format(
      "\nvoid NamesIn([[maybe_unused]] const {}& message, [[maybe_unused]] NameSink& sink) {{\n",
      message->name());
  for (const FieldDescriptor* field : Fields(message)) {
    if (field->message_type() == nullptr) continue;
    text += format("  NamesIn(message.{}, sink);\n", field->name());
  }
  return text + "}\n";
}

// --- The fields --------------------------------------------------------------------------------

string VisitOf(const Descriptor* message) {
  string text = format(
      "\nvoid Visit({0}& message, FieldVisitor& visitor) {{\n"
      "  if (!visitor.Enter(\"{0}\", &message)) return;\n",
      message->name());
  for (const FieldDescriptor* field : Fields(message)) {
    string values;
    const EnumDescriptor* type = field->is_repeated() ? nullptr : field->enum_type();
    for (int i = 0; type != nullptr && i < type->value_count(); ++i) {
      values += format("{}{}", i == 0 ? "" : ", ", type->value(i)->number());
    }
    text += type != nullptr
                ? format("  VisitEnum<{}>(message.{}, visitor);\n", values, field->name())
                : format("  Visit(message.{}, visitor);\n", field->name());
  }
  return text + "}\n";
}

// Visits for transformations and for the structs that they contain.
string Visits(const Protos& protos) {
  string declarations = kFirstLines;
  string bodies;
  for (const Descriptor* message : protos.messages) {
    const auto* file = protos.kinds.empty() ? nullptr : protos.kinds[0]->file();
    bool belongs = message->file() == file;
    for (int i = 0; file != nullptr && i < file->dependency_count(); ++i) {
      belongs |= message->file() == file->dependency(i);
    }
    if (!belongs) continue;
    declarations += format("[[maybe_unused]] void Visit({}& message, FieldVisitor& visitor);\n",
                           message->name());
    bodies += VisitOf(message);
  }
  return declarations + bodies;
}

// --- The registry's data -----------------------------------------------------------------------

string Registry(const Protos& protos) {
  string text = kFirstLines;
  text += "// TRANSFORMATION(name, message, number), in the order of the oneof.\n";
  for (const FieldDescriptor* kind : protos.kinds) {
    text += format("TRANSFORMATION({}, {}, {})\n", kind->name(), kind->message_type()->name(),
                   kind->number());
  }
  return text;
}

// The field's comment and, for an enum, its values.
string FieldText(const FieldDescriptor* field) {
  string text = Joined(Comment(field));
  const EnumDescriptor* type = field->enum_type();
  for (int i = 0; type != nullptr && i < type->value_count(); ++i) {
    text += (i == 0 ? " One of " : ", ") + type->value(i)->name();
  }
  return text + (type != nullptr ? "." : "");
}

string Info(const Protos& protos) {
  string fields;
  string rows;
  for (const FieldDescriptor* kind : protos.kinds) {
    const Descriptor* message = kind->message_type();
    rows += format("    {{\"{}\", {}, {}, k{}}},\n", kind->name(), kind->number(),
                   DocParts(message), message->name());
    fields += format("constexpr std::array<FieldInfo, {}> k{} = {{{{\n", message->field_count(),
                     message->name());
    for (const FieldDescriptor* field : Fields(message)) {
      const string type = field->message_type() != nullptr ? field->message_type()->name()
                          : field->enum_type() != nullptr  ? field->enum_type()->name()
                                                           : field->type_name();
      fields += format("    {{\"{}\", \"{}{}\", R\"({})\"}},\n", field->name(),
                       field->is_repeated() ? "repeated " : "", type, FieldText(field));
    }
    fields += "}};\n";
  }
  return format(
      "{}#include \"message/info.h\"\n\n#include <array>\n{}namespace {{\n{}"
      "constexpr MessageInfo kMessages[] = {{\n{}}};\n}}  // namespace\n\n"
      "std::span<const MessageInfo> MessageInfos() {{ return kMessages; }}\n{}",
      kFirstLines, kOpen, fields, rows, kClose);
}

// --- The codec ---------------------------------------------------------------------------------

// `value` with the cast that an enum needs.
string Converted(const FieldDescriptor* field, const string& space, const string& value) {
  if (field->enum_type() == nullptr) return value;
  return format("static_cast<{}{}>({})", space, EnumName(field->enum_type()), value);
}

string FromWire(const Descriptor* message) {
  string text =
      format("\nmessage::{0} FromWire([[maybe_unused]] const {0}& from) {{\n  message::{0} to;\n",
             message->name());
  for (const FieldDescriptor* field : Fields(message)) {
    string value = field->is_repeated() ? "part" : format("from.{}()", field->name());
    value = field->message_type() != nullptr ? format("FromWire({})", value)
                                             : Converted(field, "message::", value);
    if (field->is_repeated()) {
      text += format("  for (const auto& part : from.{0}()) to.{0}.push_back({1});\n",
                     field->name(), value);
    } else {
      text += format("  to.{0} = {1};\n", field->name(), value);
    }
  }
  return text + "  return to;\n}\n";
}

string ToWire(const Descriptor* message) {
  string text = format(
      "\nvoid ToWire([[maybe_unused]] const message::{0}& from, [[maybe_unused]] {0}* to) {{\n",
      message->name());
  for (const FieldDescriptor* field : Fields(message)) {
    const string& name = field->name();
    if (field->is_repeated()) {
      text += format("  for (const auto& part : from.{}) ", name);
      text += field->message_type() != nullptr
                  ? format("ToWire(part, to->add_{}());\n", name)
                  : format("to->add_{}({});\n", name, Converted(field, "", "part"));
    } else if (field->message_type() != nullptr) {
      // An empty message is not written, so that there is only one encoding.
      text +=
          format("  if (!(from.{0} == message::{1}{{}})) ToWire(from.{0}, to->mutable_{0}());\n",
                 name, TypeName(field));
    } else {
      text += format("  to->set_{}({});\n", name, Converted(field, "", "from." + name));
    }
  }
  return text + "}\n";
}

string Codec(const Protos& protos) {
  string text = kFirstLines;
  text += "#include \"wire/convert.h\"\n\nnamespace refract::wire {\n";
  for (const Descriptor* message : protos.messages) text += FromWire(message) + ToWire(message);
  return text + "\n}  // namespace refract::wire\n";
}

string CodecHeader(const Protos& protos, const std::set<string>& proto_headers) {
  string text = kFirstLines;
  text += "#pragma once\n\n#include \"message/all.h\"\n";
  for (const string& header : proto_headers) text += format("#include \"{}\"\n", header);
  text += "#include \"wire/any_codec.h\"\n\nnamespace refract::wire {\n\n";
  for (const Descriptor* message : protos.messages) {
    text += format(
        "message::{0} FromWire(const {0}& from);\n"
        "void ToWire(const message::{0}& from, {0}* to);\n",
        message->name());
  }
  return text + "\n}  // namespace refract::wire\n";
}

// --- Reading and writing -----------------------------------------------------------------------

void WriteIfChanged(const string& path, const string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ostringstream old;
  old << std::ifstream(path, std::ios::binary).rdbuf();
  if (old.str() == text) return;
  if (!(std::ofstream(path, std::ios::binary) << text)) Fail(path, "cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) Fail("usage", "gen_messages DESCRIPTORS STRUCT_FOLDER CODEC_FOLDER");
  google::protobuf::FileDescriptorSet set;
  std::ifstream in(argv[1], std::ios::binary);
  if (!set.ParseFromIstream(&in)) Fail(argv[1], "is not a descriptor set");
  google::protobuf::DescriptorPool pool;
  Protos protos;
  std::set<string> proto_headers;
  Messages all;
  for (const auto& proto : set.file()) {
    const auto* file = pool.BuildFile(proto);
    if (file == nullptr) Fail(proto.name(), "does not build");
    proto_headers.insert(proto.name().substr(0, proto.name().rfind('.')) + ".pb.h");
    for (int i = 0; i < file->message_type_count(); ++i) all.push_back(file->message_type(i));
  }
  if (const Descriptor* any = pool.FindMessageTypeByName("refract.wire.Transformation")) {
    protos.kinds = Fields(any);
    for (const FieldDescriptor* kind : protos.kinds) protos.kind_of[kind->message_type()] = kind;
  }
  std::map<string, Messages> headers;
  for (const Descriptor* message : all) {
    if (message->name() == "Transformation" || message->name() == "Name") continue;
    CheckShape(protos, message);
    protos.messages.push_back(message);
    headers[HeaderOf(protos, message)].push_back(message);
  }

  const string structs = string(argv[2]) + "/";
  const string codec = string(argv[3]) + "/";
  string everything = string(kFirstLines) + "#pragma once\n\n#include \"message/any.h\"\n";
  string names = string(kFirstLines) + "#include \"message/all.h\"\n" + kOpen;
  for (const auto& [path, messages] : headers) {
    WriteIfChanged(structs + path, Header(protos, path, messages));
    everything += format("#include \"{}\"\n", path);
  }
  for (const Descriptor* message : protos.messages) names += NamesIn(message);
  WriteIfChanged(structs + "message/all.h", everything);
  WriteIfChanged(structs + "message/names.cpp", names + kClose);
  WriteIfChanged(structs + "message/visits.def", Visits(protos));
  WriteIfChanged(structs + "message/transformations.def", Registry(protos));
  WriteIfChanged(structs + "message/info.cpp", Info(protos));
  WriteIfChanged(codec + "wire/convert.h", CodecHeader(protos, proto_headers));
  WriteIfChanged(codec + "wire/convert.cpp", Codec(protos));
}
