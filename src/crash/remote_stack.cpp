// SPDX-License-Identifier: Apache-2.0
#include "crash/remote_stack.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "crash/elf_file.h"
#include "crash/unwind.h"

namespace refract {
inline namespace crash {
namespace {

constexpr size_t kMaxRemoteFrames = 128;
/// How many words of a stack are searched for a return address if there are no rules.
constexpr uint64_t kScanWords = 512;
/// A frame pointer is used only if it is at most this many bytes above the stack pointer.
constexpr uint64_t kMaxFrame = uint64_t{1} << 16;
/// A stack overflow touches an address at most this many bytes below the mapping of the stack.
constexpr uint64_t kBelowStack = uint64_t{1} << 20;
/// The bytes below the stack pointer that a function may use without moving it (System V ABI for
/// AMD64, 3.2.2), and a few more.
constexpr uint64_t kRedZone = 256;

const std::string kNoBuildId;

/// One line of /proc/PID/maps.
struct Mapping {
  uint64_t begin = 0, end = 0, offset = 0;
  bool writable = false, executable = false;
  std::string path;

  /// Whether the mapping is code of a file. All other code was made at run time.
  bool is_file_code() const {
    return path.starts_with("/") && !path.starts_with("/memfd:") && !path.starts_with("/dev/") &&
           !path.starts_with("/SYSV");
  }
};

std::vector<Mapping> MappingsOf(pid_t process) {
  std::vector<Mapping> mappings;
  std::FILE* file = std::fopen(format("/proc/{}/maps", process).c_str(), "re");
  if (file == nullptr) return mappings;
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t size = 0; (size = ::getline(&line, &capacity, file)) > 0;) {
    Mapping mapping;
    char access[5] = {};
    int path = 0;
    if (std::sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &mapping.begin, &mapping.end, access,
                    &mapping.offset, &path) != 4) {
      continue;
    }
    mapping.writable = access[1] == 'w';
    mapping.executable = access[2] == 'x';
    mapping.path = Trim(std::string_view(line, static_cast<size_t>(size)).substr(path));
    mappings.push_back(std::move(mapping));
  }
  std::free(line);
  std::fclose(file);
  return mappings;
}

bool ReadRegisters(pid_t thread, Registers* registers) {
#if defined(__x86_64__)
  user_regs_struct user{};
  iovec to{&user, sizeof user};
  if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &to) != 0) return false;
  // In the order of DWARF (System V ABI for AMD64, figure 3.36).
  const unsigned long long order[] = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
                                      user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
                                      user.r12, user.r13, user.r14, user.r15, user.rip};
  std::copy(std::begin(order), std::end(order), registers->value);
  registers->pc = user.rip;
  return true;
#elif defined(__aarch64__)
  user_regs_struct user{};
  iovec to{&user, sizeof user};
  if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &to) != 0) return false;
  std::copy(std::begin(user.regs), std::end(user.regs), registers->value);
  registers->value[Registers::kStackPointer] = user.sp;
  registers->pc = user.pc;
  return true;
#else
  (void)thread, (void)registers;
  return false;
#endif
}

class StackReader {
 public:
  StackReader(pid_t process, pid_t thread, int memory)
      : thread_(thread), mappings_(MappingsOf(process)), memory_(memory) {
    // /proc/self/exe may be a dynamic loader that started Refract (target/root.h).
    const auto address = reinterpret_cast<uint64_t>(&ReadRemoteStack);
    for (const Mapping& mapping : MappingsOf(::getpid())) {
      if (mapping.begin <= address && address < mapping.end) ours_ = mapping.path;
    }
  }

  RemoteStack Read() {
    RemoteStack stack;
    Registers registers;
    if (!ReadRegisters(thread_, &registers)) return stack;
    stack.overflow = IsOverflow(registers);
    bool pc_is_return_address = false;
    while (stack.lines.size() < kMaxRemoteFrames) {
      stack.lines.push_back(LineOf(registers.pc, pc_is_return_address));
      const UnwindResult unwound = Unwind(pc_is_return_address, &registers);
      if (unwound == UnwindResult::kOutermost || unwound == UnwindResult::kUnknown) break;
      pc_is_return_address = unwound == UnwindResult::kCaller;
      if (registers.pc == 0) break;
    }
    return stack;
  }

 private:
  const Mapping* MappingOf(uint64_t address) const {
    const auto above =
        std::upper_bound(mappings_.begin(), mappings_.end(), address,
                         [](uint64_t a, const Mapping& mapping) { return a < mapping.begin; });
    if (above == mappings_.begin() || address >= std::prev(above)->end) return nullptr;
    return &*std::prev(above);
  }
  const Mapping* CodeAt(uint64_t address) const {
    const Mapping* mapping = MappingOf(address);
    return mapping != nullptr && mapping->executable ? mapping : nullptr;
  }

  std::shared_ptr<const ElfFile> FileOf(const Mapping& mapping) {
    if (!mapping.is_file_code()) return nullptr;
    const auto known = files_.find(mapping.path);
    if (known != files_.end()) return known->second;
    return files_.emplace(mapping.path, ElfFile::Open(mapping.path)).first->second;
  }
  /// The difference between addresses in memory and in the file.
  static std::optional<uint64_t> BiasOf(const Mapping& mapping, const ElfFile& file) {
    const uint64_t address = file.AddressOfOffset(mapping.offset, true);
    if (address == UINT64_MAX) return std::nullopt;
    return mapping.begin - address;
  }

  std::string LineOf(uint64_t pc, bool pc_is_return_address) {
    const Mapping* mapping = CodeAt(pc);
    if (mapping == nullptr) return "?";
    if (mapping->path == "[vdso]")
      return format("linux-vdso.so.1(+{:#x})[{:#x}]", pc - mapping->begin, pc);
    if (!mapping->is_file_code()) return format("[{:#x}]", pc);
    const std::string name = mapping->path == ours_ ? "refract" : mapping->path;
    const std::shared_ptr<const ElfFile> file = FileOf(*mapping);
    const std::optional<uint64_t> bias = file ? BiasOf(*mapping, *file) : std::nullopt;
    if (!bias) return format("{}(+{:#x})[{:#x}]", name, pc - mapping->begin + mapping->offset, pc);
    // A call that does not return may be the last instruction of its function.
    const uint64_t before = pc_is_return_address ? 1 : 0;
    const ElfFile::Symbol symbol = file->SymbolAt(pc - *bias - before);
    if (!symbol.name.empty()) {
      return format("{}({}+{:#x})[{:#x}]", name, symbol.name, symbol.offset + before, pc);
    }
    const std::string& id = build_id_printed_.insert(name).second ? file->build_id() : kNoBuildId;
    return format("{}(+{:#x})[{:#x}]{}", name, pc - *bias, pc,
                  id.empty() ? "" : format(" (BuildId: {})", id));
  }

  UnwindResult Unwind(bool pc_is_return_address, Registers* registers) {
    const Mapping* mapping = CodeAt(registers->pc);
    if (mapping == nullptr) {
      // The code called an address without code, so the top of the stack is the return address.
      if (pc_is_return_address) return UnwindResult::kUnknown;
#if defined(__aarch64__)
      const uint64_t caller = registers->value[30];
      if (CodeAt(caller) == nullptr) return UnwindResult::kUnknown;
      registers->pc = caller;
      return UnwindResult::kCaller;
#else
      return ReturnTo(registers->sp(), registers->value[Registers::kFramePointer], registers)
                 ? UnwindResult::kCaller
                 : ScanForReturnAddress(registers);
#endif
    }
    const std::shared_ptr<const ElfFile> file = FileOf(*mapping);
    const std::optional<uint64_t> bias = file ? BiasOf(*mapping, *file) : std::nullopt;
    if (bias) {
      const UnwindResult unwound =
          UnwindFrame(*file, *bias, memory_, pc_is_return_address, registers);
      if (unwound == UnwindResult::kOutermost) return unwound;
      if (unwound != UnwindResult::kUnknown && CodeAt(registers->pc) != nullptr) return unwound;
    }
    return UnwindByFramePointer(registers) ? UnwindResult::kCaller
                                           : ScanForReturnAddress(registers);
  }

  /// Unwinds without rules. In programs built with frame pointers, the frame pointer points to the
  /// frame pointer of the caller, and the return address is after it.
  bool UnwindByFramePointer(Registers* registers) {
    const uint64_t frame = registers->value[Registers::kFramePointer];
    uint64_t callers_frame = 0;
    return frame >= registers->sp() && frame - registers->sp() < kMaxFrame && frame % 8 == 0 &&
           memory_.Word(frame, &callers_frame) && callers_frame > frame &&
           ReturnTo(frame + 8, callers_frame, registers);
  }

  /// Continues at the return address that is stored at `place`. False if not found.
  bool ReturnTo(uint64_t place, uint64_t callers_frame, Registers* registers) {
    uint64_t address = 0;
    if (!memory_.Word(place, &address) || !FollowsCall(address)) return false;
    registers->pc = address;
    registers->value[Registers::kStackPointer] = place + 8;
    registers->value[Registers::kFramePointer] = callers_frame;
    return true;
  }

  UnwindResult ScanForReturnAddress(Registers* registers) {
    const uint64_t begin = (registers->sp() + 7) & ~uint64_t{7};
    for (uint64_t i = 0; i < kScanWords; ++i) {
      if (ReturnTo(begin + 8 * i, registers->value[Registers::kFramePointer], registers)) {
        return UnwindResult::kCaller;
      }
    }
    return UnwindResult::kUnknown;
  }

  /// Whether the address is in the code of a file, after a call instruction.
  bool FollowsCall(uint64_t address) {
    const Mapping* mapping = CodeAt(address);
    if (mapping == nullptr || !mapping->is_file_code() || address - mapping->begin < 8)
      return false;
    uint8_t before[8];
    if (!memory_.Read(address - sizeof before, before, sizeof before)) return false;
#if defined(__aarch64__)
    uint32_t call = 0;
    std::memcpy(&call, before + 4, sizeof call);
    return call >> 26 == 0x25 || (call & 0xfffffc1f) == 0xd63f0000;  // bl, blr
#else
    if (before[3] == 0xe8) return true;  // call rel32
    // call r/m: FF /2, with or without SIB and displacement.
    for (const size_t length : {2, 3, 4, 6, 7}) {
      if (before[8 - length] != 0xff) continue;
      const uint8_t operand = before[9 - length];
      if ((operand >> 3 & 7) != 2) continue;
      const bool sib = (operand & 7) == 4 && operand >> 6 != 3;
      const size_t displacement = operand >> 6 == 1   ? 1
                                  : operand >> 6 == 2 ? 4
                                  : operand == 0x15   ? 4
                                                      : 0;
      if (2 + (sib ? 1 : 0) + displacement == length) return true;
    }
    return false;
#endif
  }

  /// Whether the fault was at an address just below a stack, near the stack pointer.
  bool IsOverflow(const Registers& registers) const {
    siginfo_t info{};
    if (::ptrace(PTRACE_GETSIGINFO, thread_, nullptr, &info) != 0) return false;
    if ((info.si_signo != SIGSEGV && info.si_signo != SIGBUS) || info.si_code <= 0) return false;
    const auto fault = reinterpret_cast<uint64_t>(info.si_addr);
    const uint64_t sp = registers.sp();
    if (fault + kRedZone < sp || fault > sp + kBelowStack) return false;
    const Mapping* at = MappingOf(fault);
    if (at != nullptr && at->writable) return false;
    for (const Mapping& mapping : mappings_) {
      if (mapping.begin <= fault || !mapping.writable) continue;
      return mapping.begin - fault <= kBelowStack;
    }
    return false;
  }

  pid_t thread_;
  std::vector<Mapping> mappings_;  // sorted by address
  ProcessMemory memory_;
  std::string ours_;                        // the path of this executable
  std::set<std::string> build_id_printed_;  // files whose build-id was printed
  std::map<std::string, std::shared_ptr<const ElfFile>> files_;
};

}  // namespace

RemoteStack ReadRemoteStack(pid_t process, pid_t thread) {
  const int memory = ::open(format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC);
  RemoteStack stack = StackReader(process, thread, memory).Read();
  if (memory >= 0) ::close(memory);
  return stack;
}

}  // namespace crash
}  // namespace refract
