// SPDX-License-Identifier: Apache-2.0
// The code of fmt, compiled once into refract. Debian has fmt only as a shared library, and the
// release executable may depend on nothing but the C library.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace refract {
inline namespace base {

// In its header-only form, fmt defines vformat inline. Its address makes the compiler emit the one
// definition that all other files link to: they include fmt/core.h, which calls nothing else.
[[gnu::used]] extern constexpr auto* const kVformat =
    static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(&fmt::vformat);

}  // namespace base
}  // namespace refract
