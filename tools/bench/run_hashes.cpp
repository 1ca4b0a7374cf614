// SPDX-License-Identifier: Apache-2.0
// Prints hashes of all outputs of interpreting a module, to test that a faster interpreter computes
// the same to the bit. `run_hashes [--quads N] [--once] FILE...` prints for each module, with the
// shader.json in the same folder, a hash of its reports (under several schedules, perturbed and
// not), a hash of every row with its shadow words after each batch, and how many instructions a
// second of CPU time ran.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "glsl/load.h"
#include "input/inputs.h"
#include "input/resolve.h"
#include "interp/images.h"
#include "interp/machine.h"
#include "interp/memory.h"
#include "ir/binary.h"

namespace refract {
namespace {

class Hasher {
 public:
  template <class T>
  void Add(const T& number) {
    hash_ = Hash64({reinterpret_cast<const char*>(&number), sizeof(number)}, hash_);
  }
  void Add(const std::string& text) { hash_ = Hash64(text, hash_); }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 1;
};

void AddReport(const RunReport& report, Hasher* hasher) {
  hasher->Add(report.trap.has_value());
  if (report.trap) {
    hasher->Add(report.trap->kind);
    hasher->Add(report.trap->message);
    hasher->Add(report.trap->instruction);
    hasher->Add(report.trap->invocation);
  }
  for (const ColourTarget& target : report.outputs.targets) hasher->Add(target.texels);
  for (const BoundBuffer& buffer : report.outputs.buffers) hasher->Add(buffer.bytes);
  for (const BoundImage& image : report.outputs.images) hasher->Add(image.texels);
  for (const auto* list : {&report.target_shadows, &report.buffer_shadows, &report.image_shadows}) {
    for (const std::string& shadows : *list) hasher->Add(shadows);
  }
  hasher->Add(report.approximate_control);
  hasher->Add(report.open_coverage);
  hasher->Add(report.near_boundary);
  hasher->Add(report.steps);
  for (const BlockCount& block : report.blocks) hasher->Add(block.invocations);
  for (const Id id : report.uniform) hasher->Add(id);
}

// Hashes every row of some batches of a fragment shader, with magnitudes, grains and errors.
uint64_t HashRows(const Program::Code& code, const RunOptions& options,
                  const std::vector<uint32_t>& quads) {
  constexpr uint32_t kLanes = 64;
  Hasher hasher;
  Machine machine(code, kLanes, options);
  SharedMemory shared(code, true);
  ImageMemory images(code);
  machine.SetConstants();
  machine.set_shared(&shared);
  machine.set_images(&images);
  machine.set_steps_left(uint64_t{1} << 26);
  const uint32_t columns = (code.bindings.width + 1) / 2;
  for (size_t first = 0; first < quads.size() && !machine.stopped(); first += kLanes / 4) {
    Machine::Batch batch(kLanes);
    for (uint32_t lane = 0; lane < kLanes && first + lane / 4 < quads.size(); ++lane) {
      const uint32_t quad = quads[first + lane / 4];
      batch.x[lane] = quad % columns * 2 + lane % 2;
      batch.y[lane] = quad / columns * 2 + lane % 4 / 2;
      batch.number[lane] = 4 * quad + lane % 4;
      batch.there.Add(lane);
    }
    shared.BeginBatch(machine);
    machine.RunBatch(batch);
    for (uint32_t row = 0; row < code.rows; ++row) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        hasher.Add(machine.Row(row)[lane]);
        hasher.Add(machine.ShadowOf(row, lane));
      }
    }
  }
  return hasher.hash();
}

double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string Describe(const std::string& file, uint32_t quads, int turns) {
  const Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return "cannot be loaded: " + loaded.error().message;
  const Result<Module> module = ReadModule(loaded->words, file);
  if (!module) return "cannot be read: " + module.error().message;
  const Result<EntryPoint> entry = FindEntryPoint(*module, "", file);
  if (!entry) return "no entry point";
  Inputs inputs;
  const std::string json = std::filesystem::path(file).replace_extension(".json");
  if (std::filesystem::exists(json)) {
    Result<Inputs> read = LoadInputs(json);
    if (!read) return "inputs: " + read.error().message;
    inputs = std::move(*read);
  }
  ResolveOptions zero;
  zero.zero_inputs = true;
  Result<ResolvedInputs> resolved = Resolve(*module, *entry, inputs, file, zero);
  if (!resolved) return "not resolved: " + resolved.error().message;
  Hasher reports, rows;
  uint64_t steps = 0;
  double seconds = 0;
  for (int turn = 0; turn < turns; ++turn) {
    Bindings bindings = resolved->bindings;
    if (turn % 2 == 1) bindings.float_target = spv::ImageFormat::Rgba32f;
    DecodeOptions decode;
    decode.made_up_inputs = 7;
    decode.find_uniform = turn == 1;
    const Result<Program> program = Program::Decode(*module, *entry, bindings, file, decode);
    if (!program) return "not decoded: " + program.error().message;
    RunOptions options;
    options.trace = true;
    options.limits.steps = uint64_t{1} << 30;
    if (turn == 2) options.perturb = 5;
    if (turn == 3) {
      options.schedule.order = Schedule::Order::kShuffled;
      options.schedule.late_reconvergence = true;
    }
    if (quads != 0 && !program->code().is_compute) {
      const uint32_t all = ((bindings.width + 1) / 2) * ((bindings.height + 1) / 2);
      const uint32_t step = std::max(1u, all / quads);
      for (uint32_t quad = 0; quad < all; quad += step) options.sample.push_back(quad);
    }
    const double before = CpuSeconds();
    const RunReport report = Run(*program, options);
    if (turn == 0) {
      seconds = CpuSeconds() - before;
      steps = report.steps;
    }
    AddReport(report, &reports);
    const bool plain = !program->code().is_compute && !program->code().linked;
    if (plain && turns > 1 && quads != 0 && !report.trap) {
      rows.Add(HashRows(program->code(), options, options.sample));
    }
  }
  return format("{:016x} {:016x} {} steps {:.0f} M/s", reports.hash(), rows.hash(), steps,
                static_cast<double>(steps) / 1e6 / std::max(seconds, 1e-6));
}

}  // namespace
}  // namespace refract

int main(int argc, char** argv) {
  uint32_t quads = 0;
  int turns = 4;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quads") == 0 && i + 1 < argc) {
      quads = static_cast<uint32_t>(std::atoi(argv[++i]));
      continue;
    }
    if (std::strcmp(argv[i], "--once") == 0) {
      turns = 1;
      continue;
    }
    std::printf("%s: %s\n", argv[i], refract::Describe(argv[i], quads, turns).c_str());
    std::fflush(stdout);
  }
}
