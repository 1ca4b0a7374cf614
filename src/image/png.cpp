// SPDX-License-Identifier: Apache-2.0
// libpng reports errors with longjmp. Therefore the functions below that call it after setjmp have
// only trivial local variables; objects with destructors are in the State of the caller.
#include "image/png.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace image {
namespace {

struct State {
  std::string_view input;
  size_t position = 0;
  std::string output;
  std::string error;
  Image image;
  std::vector<png_bytep> rows;

  void FillRows() {
    rows.resize(image.height);
    for (uint32_t y = 0; y < image.height; ++y) rows[y] = image.pixel(size_t{y} * image.width);
  }
};

void OnError(png_structp png, png_const_charp message) {
  static_cast<State*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}  // libpng would print warnings

void OnRead(png_structp png, png_bytep to, size_t size) {
  State* state = static_cast<State*>(png_get_io_ptr(png));
  if (size > state->input.size() - state->position) png_error(png, "the file is truncated");
  std::memcpy(to, state->input.data() + state->position, size);
  state->position += size;
}

void OnWrite(png_structp png, png_bytep from, size_t size) {
  static_cast<State*>(png_get_io_ptr(png))->output.append(reinterpret_cast<char*>(from), size);
}

void OnFlush(png_structp) {}

/// Asks libpng to convert everything to 8-bit RGBA without changing values.
void AskForRgba(png_structp png, png_infop info) {
  png_set_expand(png);  // palettes, grey of less than 8 bits, tRNS
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

bool Read(png_structp png, png_infop info, State* state) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, kMaxPngSide, kMaxPngSide);
  png_set_read_fn(png, state, OnRead);
  png_read_info(png, info);
  if (png_get_bit_depth(png, info) > 8) png_error(png, "more than 8 bits per channel");
  AskForRgba(png, info);
  state->image.width = png_get_image_width(png, info);
  state->image.height = png_get_image_height(png, info);
  if (png_get_rowbytes(png, info) != 4 * size_t{state->image.width}) {
    png_error(png, "not convertible to RGBA");
  }
  state->image.pixels.assign(4 * state->image.pixel_count(), '\0');
  state->FillRows();
  png_read_image(png, state->rows.data());
  png_read_end(png, nullptr);
  return true;
}

bool Write(png_structp png, png_infop info, State* state) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, state, OnWrite, OnFlush);
  png_set_IHDR(png, info, state->image.width, state->image.height, 8, PNG_COLOR_TYPE_RGB_ALPHA,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, 6);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_write_info(png, info);
  png_write_image(png, state->rows.data());
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::string EncodePng(const Image& image) {
  CHECK(image.width > 0 && image.height > 0 && image.width <= kMaxPngSide &&
        image.height <= kMaxPngSide && image.pixels.size() == 4 * image.pixel_count());
  State state;
  state.image = image;
  state.FillRows();
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, OnError, OnWarning);
  CHECK(png != nullptr);
  png_infop info = png_create_info_struct(png);
  CHECK(info != nullptr);
  const bool written = Write(png, info, &state);
  png_destroy_write_struct(&png, &info);
  CHECK(written);
  return std::move(state.output);
}

Result<Image> DecodePng(std::string_view bytes, std::string_view name) {
  if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0) {
    return Error{format("{}: not a PNG file", name)};
  }
  State state;
  state.input = bytes;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, OnError, OnWarning);
  CHECK(png != nullptr);
  png_infop info = png_create_info_struct(png);
  CHECK(info != nullptr);
  const bool read = Read(png, info, &state);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!read) {
    return Error{format("{}: byte {}: not a readable PNG: {}", name, state.position, state.error)};
  }
  return std::move(state.image);
}

}  // namespace image
}  // namespace refract
