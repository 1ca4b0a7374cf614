// SPDX-License-Identifier: Apache-2.0
#include "folder/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace folder {
namespace {

// 15 bits of window, and 16 for the header of gzip, which then has no name and no date.
constexpr int kGzipWindow = 15 + 16;

// zlib does not change its input, but its type is not const.
Bytef* BytesOf(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

std::string Compressed(std::string_view bytes) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) ==
        Z_OK);
  std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = BytesOf(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(stream.total_out);
  CHECK(deflateEnd(&stream) == Z_OK);
  return result;
}

Result<std::string> Decompressed(const std::string& file, std::string bytes, uint64_t limit) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream stream{};
  CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK);
  stream.next_in = BytesOf(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string result, part(size_t{1} << 18, '\0');
  int state = Z_OK;
  while (state == Z_OK && result.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    result.append(part, 0, part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result.size() > limit) {
    return Error{format("{}: more than {} bytes after decompression", file, limit)};
  }
  if (state != Z_STREAM_END) return Error{format("{}: damaged gzip file", file)};
  return result;
}

}  // namespace folder
}  // namespace refract
