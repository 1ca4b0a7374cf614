// SPDX-License-Identifier: Apache-2.0
#include "campaign/known_issues.h"

#include <algorithm>
#include <set>

#include "base/diagnostic.h"
#include "base/text.h"
#include "campaign/version_range.h"
#include "input/json_fields.h"
#include "message/any.h"
#include "message/info.h"
#include "signature/signature.h"

namespace refract {
inline namespace campaign {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& file) : fields_(file) {}

  Result<std::vector<KnownIssue>> Read(const JsonNode& root) {
    if (Status ok = fields_.Object(root, "", {"issues"}); !ok) return ok.error();
    const JsonNode* list = root.Find("issues");
    if (list == nullptr || list->kind != JsonNode::Kind::kArray) {
      return fields_.Refuse(root, "/issues", "expected a list of known issues");
    }
    std::vector<KnownIssue> issues;
    std::set<std::string> names;
    for (size_t i = 0; i < list->items.size(); ++i) {
      Result<KnownIssue> issue = ReadIssue(list->items[i], format("/issues/{}", i));
      if (!issue) return issue.error();
      if (!names.insert(issue->name).second) {
        return fields_.Refuse(list->items[i], format("/issues/{}/name", i),
                              format("the name '{}' is used twice", issue->name));
      }
      issues.push_back(std::move(*issue));
    }
    return issues;
  }

 private:
  Result<KnownIssue> ReadIssue(const JsonNode& node, const std::string& pointer) {
    KnownIssue issue;
    Status ok = fields_.Object(node, pointer,
                               {"name", "why", "target", "version", "tool", "versions", "verdict",
                                "signature", "reference", "types", "opcodes", "blame", "graph"});
    if (!ok) return ok.error();
    const std::pair<const char*, std::string*> texts[] = {
        {"name", &issue.name},           {"why", &issue.why},
        {"target", &issue.target},       {"version", &issue.version},
        {"tool", &issue.tool},           {"versions", &issue.versions},
        {"verdict", &issue.verdict},     {"signature", &issue.signature},
        {"reference", &issue.reference}, {"blame", &issue.blame},
        {"graph", &issue.graph},
    };
    for (const auto& [key, text] : texts) {
      if (Status read = ReadText(node, pointer, key, text); !read) return read.error();
    }
    if (issue.name.empty() || issue.why.empty()) {
      return fields_.Refuse(node, pointer,
                            "expected 'name' and 'why' (where to read about the issue)");
    }
    if (Status read = ReadList(node, pointer, "types", &issue.types); !read) return read.error();
    if (Status read = ReadList(node, pointer, "opcodes", &issue.opcodes); !read) {
      return read.error();
    }
    if (Status known = CheckConditions(node, pointer, issue); !known) return known.error();
    return issue;
  }

  Status ReadText(const JsonNode& node, const std::string& pointer, const char* key,
                  std::string* text) {
    const JsonNode* found = node.Find(key);
    if (found == nullptr) return {};
    if (found->kind != JsonNode::Kind::kString || found->text.empty()) {
      return fields_.Refuse(*found, format("{}/{}", pointer, key),
                            "expected a string that is not empty");
    }
    *text = found->text;
    return {};
  }

  Status ReadList(const JsonNode& node, const std::string& pointer, const char* key,
                  std::vector<std::string>* list) {
    const JsonNode* found = node.Find(key);
    if (found == nullptr) return {};
    const std::string place = format("{}/{}", pointer, key);
    if (found->kind != JsonNode::Kind::kArray || found->items.empty()) {
      return fields_.Refuse(*found, place, "expected a list of strings that is not empty");
    }
    for (const JsonNode& item : found->items) {
      if (item.kind != JsonNode::Kind::kString) {
        return fields_.Refuse(item, place, "expected a list of strings");
      }
      list->push_back(item.text);
    }
    return {};
  }

  // Refuses issues that can match nothing, or that match everything: they are probably mistakes.
  Status CheckConditions(const JsonNode& node, const std::string& pointer,
                         const KnownIssue& issue) {
    if (issue.target.empty() && issue.version.empty() && issue.tool.empty() &&
        issue.verdict.empty() && issue.signature.empty() && issue.reference.empty() &&
        !issue.NeedsReducedTest()) {
      return fields_.Refuse(node, pointer,
                            "the issue has no condition and would match every failure");
    }
    if (!issue.verdict.empty() && issue.verdict.find('*') == std::string::npos &&
        !FailureClassNamed(issue.verdict)) {
      return fields_.Refuse(
          node, pointer + "/verdict",
          format("unknown verdict '{}' (docs/campaign.md lists them)", issue.verdict));
    }
    if (!issue.versions.empty() && issue.tool.empty()) {
      return fields_.Refuse(node, pointer + "/versions",
                            "'versions' are those of a tool, but the issue has no 'tool'");
    }
    if (!issue.versions.empty() && !IsVersionRange(issue.versions)) {
      return fields_.Refuse(
          node, pointer + "/versions",
          format("'{}' is no range of versions; expected for example \">=2022.4 <2023.2\"",
                 issue.versions));
    }
    for (const std::string& type : issue.types) {
      if (message::KindNamed(type) != 0) continue;
      return fields_.Refuse(node, pointer + "/types",
                            format("unknown transformation '{}'; `refract list` prints all{}", type,
                                   message::DidYouMeanKind(type)));
    }
    for (const std::string& opcode : issue.opcodes) {
      if (opcode.starts_with("+Op") || opcode.starts_with("-Op")) continue;
      return fields_.Refuse(
          node, pointer + "/opcodes",
          format("'{}': an opcode must begin with + or -, as in \"+OpISub\"", opcode));
    }
    return {};
  }

  JsonFields fields_;
};

bool ContainsAll(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
    return std::find(there.begin(), there.end(), one) != there.end();
  });
}

bool Matches(const std::string& glob, const std::string& text) {
  return glob.empty() || MatchesGlob(glob, text);
}

bool MatchesTool(const KnownIssue& issue, const std::vector<IssueTool>& tools) {
  if (issue.tool.empty()) return true;
  return std::any_of(tools.begin(), tools.end(), [&](const IssueTool& tool) {
    return MatchesGlob(issue.tool, tool.program) &&
           (issue.versions.empty() || IsInVersionRange(tool.version, issue.versions));
  });
}

bool MatchesSignature(const KnownIssue& issue, const KnownIssueFacts& facts) {
  if (Matches(issue.signature, facts.signature)) return true;
  return !issue.tool.empty() && !facts.tool_signature.empty() &&
         MatchesGlob(issue.signature, facts.tool_signature);
}

}  // namespace

Result<std::vector<KnownIssue>> ParseKnownIssues(const std::string& file, std::string_view text) {
  const Result<JsonNode> root = ParseJson(file, text);
  if (!root) return WithSource(root.error(), file, text);
  Result<std::vector<KnownIssue>> issues = Parser(file).Read(*root);
  if (!issues) return WithSource(issues.error(), file, text);
  return issues;
}

const KnownIssue* FindKnownIssue(const std::vector<KnownIssue>& issues,
                                 const KnownIssueFacts& facts) {
  for (const KnownIssue& issue : issues) {
    if (issue.NeedsReducedTest() && !facts.reduced) continue;
    if (Matches(issue.target, facts.target) && Matches(issue.version, facts.version) &&
        MatchesTool(issue, facts.tools) && Matches(issue.verdict, facts.verdict) &&
        MatchesSignature(issue, facts) && Matches(issue.reference, facts.reference) &&
        Matches(issue.blame, facts.blame) && Matches(issue.graph, facts.graph) &&
        ContainsAll(issue.types, facts.types) && ContainsAll(issue.opcodes, facts.opcodes)) {
      return &issue;
    }
  }
  return nullptr;
}

bool MatchesGlob(std::string_view glob, std::string_view text) {
  // `star` is the last star in the glob so far, `after_star` the first character of the text after
  // what it matches. Only the last star ever has to match more characters.
  size_t at = 0, in_text = 0, star = std::string_view::npos, after_star = 0;
  while (in_text < text.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      after_star = in_text;
    } else if (at < glob.size() && glob[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++after_star;
    } else {
      return false;
    }
  }
  while (at < glob.size() && glob[at] == '*') ++at;
  return at == glob.size();
}

}  // namespace campaign
}  // namespace refract
