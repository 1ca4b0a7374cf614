// SPDX-License-Identifier: Apache-2.0
// What the comments of proto/transformation.proto say, for `refract list` and `refract explain`.
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

/// All transformations, in the order of the registry.
std::span<const MessageInfo> MessageInfos();
/// "; did you mean 'NAME'?" with the transformation that is called most like `typed`; empty if
/// there is none.
std::string DidYouMeanKind(std::string_view typed);
/// docs/transformations.md, which is this.
std::string TransformationsPage();

}  // namespace refract::message
