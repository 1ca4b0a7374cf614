#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether packages of this commit may be published (`make distribution`): all files are committed, with them the frozen
# fields of recordings, and the first section of CHANGELOG.md is that of the version, with a date.
#
#   packaging/ready.sh [SOURCE]
set -eu
cd "${1:-$(dirname "$0")/..}"
version=$(sed -n 's/^#define REFRACT_VERSION "\(.*\)"/\1/p' include/refract/refract.h)
failed=0
changed=$(git status --porcelain)
if [ -n "$changed" ]; then
  echo "not ready: commit these files first:"
  echo "$changed"
  failed=1
fi
section=$(sed -n '/^## /{p;q}' CHANGELOG.md)
case $section in
  "## [$version] - "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
  *)
    echo "not ready: CHANGELOG.md begins with '$section', and not with '## [$version] - DATE'"
    failed=1
    ;;
esac
exit $failed
