// SPDX-License-Identifier: Apache-2.0
// A module under test with its inputs as the shaders, buffers, images and the pipeline of an
// AmberScript.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "folder/amber_requirements.h"
#include "folder/amber_shader.h"
#include "folder/amber_values.h"
#include "folder/test_folder.h"
#include "target/difference.h"
#include "driver/stage.h"
#include "input/bindings.h"

namespace refract::inline folder {

/// Types of the storage buffers by set and binding: the same for both modules of a test, or they
/// could not be compared.
using StorageTypes = std::map<std::pair<uint32_t, uint32_t>, AmberType>;

struct AmberJob {
  std::string prefix;  ///< of all its names: "variant"
  std::string file;    ///< what errors call the module
  AmberShader shader;  ///< under test
  std::optional<AmberShader> companion;
  Bindings bindings;
  std::vector<BufferLayout> layouts;  ///< of all buffers
  Stage stage;
  bool vertex_has_memory = false;  ///< a vertex shader not ours has a storage buffer
};

/// Reads and resolves. What Amber cannot say is bad input by name.
Result<AmberJob> MakeAmberJob(const std::string& prefix, const std::string& file,
                              const TestModule& module, const TestRecord& record);

/// Null if it is not known.
const Layout* LayoutOf(const AmberJob& job, const BoundBuffer& buffer);

/// Whether a fragment shader has memory that it could write to.
bool WritesMemory(const AmberJob& job);

/// "variant_storage_0_2", "variant_image_0_4", "variant_framebuffer_0"
std::string NameOf(const AmberJob& job, const BoundBuffer& buffer);
std::string NameOf(const AmberJob& job, const BoundImage& image);
std::string NameOfTarget(const AmberJob& job, uint32_t location);

/// All that has to stand before the commands.
Result<std::string> Declarations(const AmberJob& job, const StorageTypes& types);
/// Clears and draws, or dispatches.
std::string RunCommands(const AmberJob& job);

}  // namespace refract::inline folder
