// SPDX-License-Identifier: Apache-2.0
// A module under test with its inputs, as shaders, buffers, images and the pipeline of an
// AmberScript.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/stage.h"
#include "folder/amber_requirements.h"
#include "folder/amber_shader.h"
#include "folder/amber_values.h"
#include "folder/test_folder.h"
#include "input/bindings.h"
#include "target/difference.h"

namespace refract {
inline namespace folder {

/// The types of the storage buffers by set and binding. They are the same for both modules of a
/// test, because Amber compares only buffers of the same type.
using StorageTypes = std::map<std::pair<uint32_t, uint32_t>, AmberType>;

/// A module under test, ready to be written.
struct AmberJob {
  std::string prefix;  ///< of all its names in the script: "variant"
  std::string file;    ///< the name of the module in errors
  AmberShader shader;  ///< the shader under test
  std::optional<AmberShader> companion;
  Bindings bindings;
  std::vector<BufferLayout> layouts;  ///< of all buffers
  EntryPointInfo stage;
  bool vertex_has_memory = false;  ///< a vertex shader of the test has a storage buffer
};

/// Reads the module and resolves its inputs. An error names what AmberScript cannot express.
Result<AmberJob> MakeAmberJob(const std::string& prefix, const std::string& file,
                              const TestModule& module, const TestRecord& record);

/// The layout of a buffer; null if it is not known.
const Layout* LayoutOf(const AmberJob& job, const BoundBuffer& buffer);

/// Whether the job has storage buffers or storage images.
bool WritesMemory(const AmberJob& job);

/// Names in the script: "variant_storage_0_2", "variant_image_0_4", "variant_framebuffer_0".
std::string NameOf(const AmberJob& job, const BoundBuffer& buffer);
std::string NameOf(const AmberJob& job, const BoundImage& image);
std::string NameOfTarget(const AmberJob& job, uint32_t location);

/// Everything that the script declares before its commands.
Result<std::string> Declarations(const AmberJob& job, const StorageTypes& types);
/// The commands that run the job: clear and draw, or dispatch.
std::string RunCommands(const AmberJob& job);

}  // namespace folder
}  // namespace refract
