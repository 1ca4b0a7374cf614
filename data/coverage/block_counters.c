// SPDX-License-Identifier: Apache-2.0
// Records which basic blocks of an instrumented program or library ran. `refract coverage build`
// compiles this file and links it into the target. Clang calls the functions below
// (SanitizerCoverage: trace-pc-guard, pc-table). With REFRACT_COVERAGE=FOLDER in its environment, a
// process marks each block that it runs in FOLDER/NAME-HASH.blocks, which it shares with other
// processes of the same file. So nothing is lost if the process crashes or is killed.
//
// The file has: a header of 4,096 bytes (8 bytes of magic, the number of blocks, the load address
// that was subtracted, the path of the program); one byte for each block, in whole pages; for each
// block its address and its flags, 8 bytes each (flag 1: entry of a function).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER 4096

static unsigned char* marks;  // one byte for each block; null: nothing is recorded
static uint64_t block_count;

void __sanitizer_cov_trace_pc_guard_init(uint32_t* start, uint32_t* stop) {
  if (start == stop || *(start + (stop - start > 1)) != 0) return;  // none, or numbered already
  block_count = (uint64_t)(stop - start);
  for (uint64_t i = 0; i < block_count; ++i) start[i] = (uint32_t)i;
}

void __sanitizer_cov_trace_pc_guard(uint32_t* guard) {
  unsigned char* to = marks;
  if (to != NULL) to[*guard] = 1;
}

static uint64_t rounded(uint64_t size) { return (size + 4095) / 4096 * 4096; }

// The path of the program or library that has this code, and its load address.
static void find_self(char path[PATH_MAX], uint64_t* load_address) {
  Dl_info info;
  struct link_map* map = NULL;
  path[0] = '\0';
  *load_address = 0;
  if (dladdr1((void*)&find_self, &info, (void**)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return;
  *load_address = map->l_addr;
  if (map->l_name[0] == '\0' || realpath(map->l_name, path) == NULL) {
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
  }
}

static uint64_t hash_of(const char* text) {  // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

// Writes the header and the addresses, unless another process has done so.
static int fill(int file, uint64_t size, const uintptr_t* begin, uint64_t load_address,
                const char* path) {
  struct stat info;
  if (fstat(file, &info) != 0) return 0;
  if (info.st_size != 0) return (uint64_t)info.st_size == size;
  if (ftruncate(file, (off_t)size) != 0) return 0;
  unsigned char* all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (all == MAP_FAILED) return 0;
  memcpy(all, "RFRBLK01", 8);
  memcpy(all + 8, &block_count, 8);
  memcpy(all + 16, &load_address, 8);
  snprintf((char*)all + 24, HEADER - 24, "%s", path);
  uint64_t* rows = (uint64_t*)(all + HEADER + rounded(block_count));
  for (uint64_t i = 0; i < block_count; ++i) {
    rows[2 * i] = begin[2 * i] - load_address;
    rows[2 * i + 1] = begin[2 * i + 1];
  }
  return munmap(all, size) == 0;
}

void __sanitizer_cov_pcs_init(const uintptr_t* begin, const uintptr_t* end) {
  const char* folder = getenv("REFRACT_COVERAGE");
  if (folder == NULL || marks != NULL || (uint64_t)(end - begin) != 2 * block_count) return;
  char path[PATH_MAX], name[PATH_MAX + 64];
  uint64_t load_address;
  find_self(path, &load_address);
  const char* slash = strrchr(path, '/');
  snprintf(name, sizeof name, "%s/%.100s-%016llx.blocks", folder, slash == NULL ? path : slash + 1,
           (unsigned long long)hash_of(path));
  const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  const uint64_t size = HEADER + rounded(block_count) + 16 * block_count;
  if (flock(file, LOCK_EX) == 0) {
    if (fill(file, size, begin, load_address, path)) {
      void* mapped = mmap(NULL, block_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, HEADER);
      if (mapped != MAP_FAILED) marks = mapped;
    }
    flock(file, LOCK_UN);
  }
  close(file);
}
