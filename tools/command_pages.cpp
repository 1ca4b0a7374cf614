// SPDX-License-Identifier: Apache-2.0
// Writes the man pages and the completions of bash, zsh and fish into a folder, as
// cmake/install.cmake installs them:
//
//   command_pages DIR
//
// DIR/man1/refract*.1, DIR/refract (bash), DIR/_refract (zsh), DIR/refract.fish. The folders exist.
#include <cstdio>
#include <string>

#include "base/file.h"
#include "cli/pages/command_page.h"

namespace refract {
namespace {

int Write(const std::string& path, const std::string& text) {
  const Status written = WriteFile(path, text);
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}

int WriteAll(const std::string& folder) {
  const CommandPage root = DescribeCommands();
  int failed = Write(folder + "/refract", BashCompletion(root));
  failed += Write(folder + "/_refract", ZshCompletion(root));
  failed += Write(folder + "/refract.fish", FishCompletion(root));
  for (const CommandPage* page : AllPages(root)) {
    failed += Write(folder + "/man1/" + ManName(*page) + ".1", ManPage(*page, root));
  }
  return failed == 0 ? 0 : 3;
}

}  // namespace
}  // namespace refract

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: command_pages DIR\n", stderr);
    return 2;
  }
  return refract::WriteAll(argv[1]);
}
