// SPDX-License-Identifier: Apache-2.0
// One function for each struct lists its fields. A Writer or a Reader visits them.
#include "driver/protocol.h"

#include <algorithm>
#include <cstring>

namespace refract {
inline namespace driver {
namespace {

class Writer {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<uint32_t>(text.size()));
    bytes.append(text);
  }
  void operator()(const std::vector<uint32_t>& words) {
    (*this)(static_cast<uint32_t>(words.size()));
    bytes.append(reinterpret_cast<const char*>(words.data()), 4 * words.size());
  }
  template <class T>
  void List(const std::vector<T>& items) {
    (*this)(static_cast<uint32_t>(items.size()));
    for (const T& item : items) Fields(*this, item);
  }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    value = T{};
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;  // read as a byte, because most bit patterns are no valid bool
      Take(&byte, 1);
      value = byte != 0;
    } else {
      Take(&value, sizeof value);
    }
  }
  void operator()(std::string& text) {
    text.assign(Bounded(1), '\0');
    Take(text.data(), text.size());
  }
  void operator()(std::vector<uint32_t>& words) {
    words.assign(Bounded(4), 0);
    Take(words.data(), 4 * words.size());
  }
  template <class T>
  void List(std::vector<T>& items) {
    items.clear();
    for (uint32_t left = Bounded(1); left > 0 && !failed_; --left) {
      Fields(*this, items.emplace_back());
    }
  }
  bool Whole() const { return !failed_ && bytes_.empty(); }

 private:
  /// A count of items that need at least `size` bytes each. Fails if the payload cannot hold so
  /// many.
  uint32_t Bounded(size_t size) {
    uint32_t count = 0;
    (*this)(count);
    if (count > bytes_.size() / size) failed_ = true;
    return failed_ ? 0 : count;
  }
  void Take(void* to, size_t size) {
    if (size > bytes_.size()) failed_ = true;
    if (failed_ || size == 0) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
  bool failed_ = false;
};

// Lets one list of fields serve a const struct with a Writer and a struct with a Reader.
template <class T, class Plain>
concept Of = std::is_same_v<std::remove_const_t<T>, Plain>;

template <class V>
void Fields(V& visit, Of<std::string> auto& text) {
  visit(text);
}
template <class V>
void Fields(V& visit, Of<StartRequest> auto& request) {
  visit(request.validate);
}
template <class V>
void Fields(V& visit, Of<DeviceInfo> auto& info) {
  visit(info.device), visit(info.driver), visit(info.driver_info), visit(info.api_version);
  visit(info.driver_version), visit(info.vendor_id), visit(info.device_id);
}
template <class V>
void Fields(V& visit, Of<StartReply> auto& reply) {
  visit(reply.problem), visit(reply.process), Fields(visit, reply.device);
}
template <class V>
void Fields(V& visit, Of<BoundBuffer> auto& buffer) {
  visit(buffer.set), visit(buffer.binding), visit(buffer.storage), visit(buffer.bytes);
  visit(buffer.element);
}
template <class V>
void Fields(V& visit, Of<AddressedBuffer> auto& buffer) {
  visit(buffer.name), visit(buffer.bytes);  // the worker does not compare floats
}
template <class V>
void Fields(V& visit, Of<BoundAddress> auto& address) {
  visit(address.memory), visit(address.set), visit(address.binding), visit(address.element);
  visit(address.offset), visit(address.target), visit(address.target_offset);
}
template <class V>
void Fields(V& visit, Of<BoundImage> auto& image) {
  visit(image.set), visit(image.binding), visit(image.element), visit(image.kind), visit(image.dim);
  visit(image.arrayed), visit(image.format), visit(image.width), visit(image.height);
  visit(image.depth), visit(image.layers), visit(image.linear), visit(image.wrap);
  visit(image.border), visit(image.reduction), visit(image.texel_coordinates);
  visit(image.compare), visit(image.texels), visit(image.levels), visit(image.mip.linear);
  visit(image.mip.min_lod), visit(image.mip.max_lod), visit(image.mip.bias);
  visit(image.attachment), visit(image.samples), visit(image.scene);
}
template <class V>
void Fields(V& visit, Of<BoundConstant> auto& constant) {
  visit(constant.id), visit(constant.width), visit(constant.bits);
}
template <class V>
void Fields(V& visit, Of<BoundCompanion> auto& companion) {
  visit(companion.spirv), visit(companion.entry), visit.List(companion.constants);
  visit(companion.model);
}
template <class V>
void Fields(V& visit, Of<BoundAttribute> auto& attribute) {
  visit(attribute.location), visit(attribute.kind), visit(attribute.width);
  visit(attribute.components), visit(attribute.per_instance), visit(attribute.bytes);
}
template <class V>
void Fields(V& visit, Of<BoundMesh> auto& mesh) {
  visit(mesh.is_grid), visit(mesh.topology), visit(mesh.vertices), visit(mesh.instances);
  visit(mesh.indices), visit.List(mesh.attributes);
}
template <class V>
void Fields(V& visit, Of<Bindings> auto& bindings) {
  visit.List(bindings.buffers), visit.List(bindings.images), visit(bindings.push_constants);
  visit.List(bindings.addressed), visit.List(bindings.addresses);
  visit.List(bindings.constants), visit(bindings.width), visit(bindings.height);
  visit(bindings.float_target), visit(bindings.depth.compare), visit(bindings.depth.clear);
  visit(bindings.samples), visit(bindings.per_sample);
  for (auto& groups : bindings.groups) visit(groups);
  visit.List(bindings.built), visit(bindings.patch_vertices);
  Fields(visit, bindings.companion), visit(bindings.grid_columns), visit(bindings.grid_rows);
  Fields(visit, bindings.mesh);
}
template <class V>
void Fields(V& visit, Of<Job> auto& job) {
  visit(job.spirv), visit(job.entry), Fields(visit, job.bindings), visit(job.time_limit);
  visit(job.pipeline_only), visit(job.validate), visit(job.partial_subgroups), visit(job.fault);
}
template <class V>
void Fields(V& visit, Of<ColourTarget> auto& target) {
  visit(target.location), visit(target.format), visit(target.width), visit(target.height);
  visit(target.texels);
}
template <class V>
void Fields(V& visit, Of<Outputs> auto& outputs) {
  visit.List(outputs.targets), visit.List(outputs.buffers), visit.List(outputs.images);
}
template <class V>
void Fields(V& visit, Of<Answer> auto& answer) {
  visit(answer.kind), visit(answer.reason), visit(answer.call), visit(answer.code);
  Fields(visit, answer.outputs), visit.List(answer.validation_messages);
}

// Whether the number of bytes of the texels fits the other fields.
bool IsSound(const ColourTarget& target) {
  return target.width <= kMaxFrameSide && target.height <= kMaxFrameSide &&
         TexelSize(target.format) != 0 &&
         target.texels.size() == uint64_t{TexelSize(target.format)} * target.width * target.height;
}

bool IsSound(const Outputs& outputs) {
  const auto is_sound = [](const auto& item) { return IsSound(item); };
  return std::all_of(outputs.targets.begin(), outputs.targets.end(), is_sound) &&
         std::all_of(outputs.images.begin(), outputs.images.end(), is_sound);
}

template <class T>
std::string EncodeAny(const T& message) {
  Writer writer;
  Fields(writer, message);
  return std::move(writer.bytes);
}

template <class T>
bool DecodeAny(std::string_view payload, T* message) {
  Reader reader(payload);
  Fields(reader, *message);
  return reader.Whole();
}

}  // namespace

std::string Encode(const StartRequest& request) {
  return EncodeAny(request);
}
std::string Encode(const StartReply& reply) {
  return EncodeAny(reply);
}
std::string Encode(const Job& job) {
  return EncodeAny(job);
}
std::string Encode(const Answer& answer) {
  return EncodeAny(answer);
}
std::string Encode(const Outputs& outputs) {
  return EncodeAny(outputs);
}
std::string Encode(const std::vector<std::string>& texts) {
  Writer writer;
  writer.List(texts);
  return std::move(writer.bytes);
}

bool Decode(std::string_view payload, StartRequest* request) {
  return DecodeAny(payload, request);
}
bool Decode(std::string_view payload, StartReply* reply) {
  return DecodeAny(payload, reply);
}
bool Decode(std::string_view payload, Job* job) {
  return DecodeAny(payload, job);
}
bool Decode(std::string_view payload, Answer* answer) {
  return DecodeAny(payload, answer) && answer->kind <= Answer::Kind::kUnsupported &&
         IsSound(answer->outputs);
}
bool Decode(std::string_view payload, Outputs* outputs) {
  return DecodeAny(payload, outputs) && IsSound(*outputs);
}
bool Decode(std::string_view payload, std::vector<std::string>* texts) {
  Reader reader(payload);
  reader.List(*texts);
  return reader.Whole();
}

}  // namespace driver
}  // namespace refract
