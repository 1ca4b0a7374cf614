// SPDX-License-Identifier: Apache-2.0
#include "engine/run_inputs.h"

#include <algorithm>

#include "base/random.h"
#include "input/inputs.h"

namespace refract {
inline namespace engine {
namespace {

// Returns four random bytes for a place: half of the time any bits, else a float from 0.5 to 2 or a
// number below 16.
uint32_t WordAt(const BlockPlace& place, size_t word, uint64_t seed) {
  const auto& [push_constant, set, binding, element] = place;
  const uint64_t where = Mix(uint64_t{element} << 48 | uint64_t{set} << 32 | binding,
                             word * 2 + (push_constant ? 1 : 0));
  const uint64_t bits = Mix(seed, where);
  const auto low = static_cast<uint32_t>(bits);
  if (bits >> 62 == 0) return low;
  return bits >> 62 == 1 ? 0x3f000000 + (low & 0x00ffffff) : low & 15;
}

Inputs Inverted(const Inputs& inputs) {
  Inputs inverted = inputs;
  const auto invert = [](std::vector<InputValue>* values) {
    for (InputValue& value : *values) {
      const uint64_t mask = value.width < 64 ? (uint64_t{1} << value.width) - 1 : ~uint64_t{0};
      for (uint64_t& word : value.words) word = ~word & mask;
    }
  };
  invert(&inverted.values);
  if (inverted.compute) invert(&inverted.compute->fields);
  return inverted;
}

template <class Visit>
void ForEachMemory(Bindings* bindings, Visit visit) {
  for (BoundBuffer& buffer : bindings->buffers) {
    visit(BlockPlace(buffer), buffer.bytes);
  }
  if (!bindings->push_constants.empty()) {
    visit(BlockPlace(true, 0, 0), bindings->push_constants);
  }
}

// Adds known values that no file gives. Test cases state such values.
Status GiveKnown(const Context& context, RunSetup* setup) {
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(context.module, setup->entry, BlockNames(context.module));
  if (!blocks) return blocks.error();
  for (const KnownValue& known : context.facts.known_inputs()) {
    for (const BlockVariable& block : *blocks) {
      const BlockPlace& place = block.place;
      if (place != BlockPlace(known.push_constant, known.set, known.binding, place.element))
        continue;
      for (const LaidOutScalar& scalar : block.layout.scalars) {
        if (PathInVariable(block, scalar.path) != known.path || scalar.width != known.width)
          continue;
        ForEachMemory(&setup->bindings, [&](const BlockPlace& other, std::string& memory) {
          for (uint32_t i = 0; other == place && i < known.width / 8; ++i) {
            if (scalar.offset + i >= memory.size()) continue;
            memory[scalar.offset + i] = static_cast<char>(known.bits >> (8 * i));
          }
        });
      }
    }
  }
  return {};
}

// Returns the inputs for everything that `function` reaches, or that the entry point reaches if
// `function` is kNone.
Result<RunSetup> SetupWith(const Context& context, const Inputs& inputs, const std::string& file,
                           Function function) {
  RunSetup setup;
  Result<EntryPoint> entry = FindEntryPoint(context.module, context.entry, file);
  if (!entry) return Error{entry.error().message, ErrorKind::kUnavailable};
  setup.entry = std::move(*entry);
  if (function != Function::kNone) setup.entry.function = function;
  Result<ResolvedInputs> resolved =
      Resolve(context.module, setup.entry, inputs, file, {.zero_inputs = true});
  if (!resolved) return resolved.error();
  setup.bindings = std::move(resolved->bindings);
  return setup;
}

Result<RunSetup> SetupReaching(const Context& context, const std::string& file, Function function) {
  Result<RunSetup> setup =
      SetupWith(context, context.inputs ? *context.inputs : Inputs(), file, function);
  if (!setup || context.inputs || context.facts.known_inputs().empty()) return setup;
  if (Status given = GiveKnown(context, &*setup); !given) return given.error();
  return setup;
}

}  // namespace

Result<RunSetup> SetupOf(const Context& context, const std::string& file) {
  return SetupReaching(context, file, Function::kNone);
}

Result<Bindings> BindingsOf(const Context& context, const std::string& file, Function function) {
  Result<RunSetup> setup = SetupReaching(context, file, function);
  if (!setup) return setup.error();
  return std::move(setup->bindings);
}

Result<RunInputs> RunInputs::Of(const Context& context, const std::string& file) {
  RunInputs result;
  Result<RunSetup> setup = SetupOf(context, file);
  if (!setup) return setup.error();
  result.given_ = std::move(*setup);
  // Inverts every value that is given or known. Bytes that change with that are not free.
  Context other = context;
  std::vector<KnownValue> known = context.facts.known_inputs();
  for (KnownValue& value : known) value.bits = ~value.bits;
  other.facts.SetKnownInputs(std::make_shared<const std::vector<KnownValue>>(std::move(known)));
  if (context.inputs) other.inputs = std::make_shared<const Inputs>(Inverted(*context.inputs));
  Result<RunSetup> changed = SetupOf(other, file);
  if (!changed) return changed.error();
  std::map<BlockPlace, const std::string*> bytes;
  ForEachMemory(&changed->bindings,
                [&](const BlockPlace& place, std::string& memory) { bytes[place] = &memory; });
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(context.module, result.entry(), BlockNames(context.module));
  if (!blocks) return blocks.error();
  ForEachMemory(&result.given_.bindings, [&](const BlockPlace& place, std::string& memory) {
    std::vector<bool>& is_given = result.is_given_[place];
    is_given.assign(memory.size(), true);
    std::vector<bool>& is_address = result.is_address_[place];
    is_address.resize(memory.size());
    const auto mark = [&](uint64_t offset) {
      for (size_t i = offset; i < offset + 8 && i < memory.size(); ++i) is_address[i] = true;
    };
    for (const BoundAddress& address : result.given_.bindings.addresses) {
      const BlockPlace at(address.memory == BoundAddress::kPushConstants, address.set,
                          address.binding, address.element);
      if (at == place) mark(address.offset);
    }
    for (const BlockVariable& block : *blocks) {
      if (block.place != place) continue;
      for (const LaidOutScalar& scalar : block.layout.scalars) {
        if (scalar.kind == LaidOutScalar::kAddress) mark(scalar.offset);
        const size_t end = std::min<size_t>(scalar.offset + scalar.width / 8, memory.size());
        for (size_t i = scalar.offset; i < end; ++i) is_given[i] = memory[i] != (*bytes[place])[i];
      }
    }
    for (size_t i = 0; i < memory.size(); ++i) is_given[i] = is_given[i] || is_address[i];
  });
  return result;
}

bool RunInputs::HasFree(bool given_too) const {
  return std::any_of(is_given_.begin(), is_given_.end(), [&](const auto& memory) {
    return given_too ? !memory.second.empty()
                     : std::find(memory.second.begin(), memory.second.end(), false) !=
                           memory.second.end();
  });
}

Bindings RunInputs::Varied(uint64_t seed, bool given_too) const {
  Bindings bindings = given_.bindings;
  Vary(&bindings, seed, given_too);
  return bindings;
}

void RunInputs::Vary(Bindings* bindings, uint64_t seed, bool given_too) const {
  ForEachMemory(bindings, [&](const BlockPlace& place, std::string& memory) {
    const auto found = is_given_.find(place);
    if (found == is_given_.end()) return;
    const std::vector<bool>& is_given = found->second;
    const std::vector<bool>& is_address = is_address_.at(place);
    for (size_t i = 0; i < std::min(memory.size(), is_given.size()); ++i) {
      if ((is_given[i] && !given_too) || is_address[i]) continue;
      memory[i] = static_cast<char>(WordAt(place, i / 4, seed) >> (8 * (i % 4)));
    }
  });
}

}  // namespace engine
}  // namespace refract
