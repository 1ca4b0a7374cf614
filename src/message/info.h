// SPDX-License-Identifier: Apache-2.0
// The comments of proto/transformation.proto, for `refract list` and `refract explain`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace refract::message {

struct FieldInfo {
  std::string_view name;  ///< "before"
  std::string_view type;  ///< as in the proto: "Name", "repeated uint32"
  std::string_view text;
};

struct MessageInfo {
  std::string_view name;  ///< "split_block"
  int kind;
  std::string_view summary, needs, keeps, family;
  std::span<const FieldInfo> fields;
};

/// Returns all transformations in the order of the registry.
std::span<const MessageInfo> MessageInfos();
/// Returns "; did you mean 'NAME'?" with the transformation whose name is most similar to `typed`,
/// or an empty text if none is similar.
std::string DidYouMeanKind(std::string_view typed);
/// Returns the text of docs/transformations.md up to the table of recommendations.
std::string TransformationsPage();

}  // namespace refract::message
