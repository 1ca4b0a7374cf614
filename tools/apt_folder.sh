# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that download Debian's packages into a folder, without installing them. Before they source
# this file, scripts set $script, with which messages begin, and $apt, the folder for apt's lists.

say() { echo "$script: $*"; }

fail() {
  say "error: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 2
}

# The mirror of Debian from which this machine gets its packages, by apt's own configuration.
find_mirror() {
  codename=$(. /etc/os-release 2> /dev/null && echo "${VERSION_CODENAME:-stable}")
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2> /dev/null |
    awk -v name="$codename" '$3 == "main" && ($2 == name || $2 ~ /^(stable|testing|unstable|sid)$/) &&
                             $1 !~ /ubuntu/ && !found { print $1; found = 1 }'
}

# configure_apt deb|deb-src SUITE: a configuration of apt that touches no file outside of $apt. Proxies and the
# like stay as they are on this machine. Sets $mirror and $suite.
configure_apt() {
  suite=$2
  architecture=$(dpkg --print-architecture)
  mirror=${MIRROR:-$(find_mirror)}
  mirror=${mirror:-http://deb.debian.org/debian}
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/none/partial"
  : > "$apt/status"
  key=/usr/share/keyrings/debian-archive-keyring.gpg
  signed=
  [ ! -e $key ] || signed="[signed-by=$key] "
  echo "$1 $signed$mirror $suite main" > "$apt/sources.list"
  # The variable is not exported yet: this is how the machine downloads.
  apt-config dump Acquire | grep '^Acquire::' |
    grep -v '^Acquire::\(IndexTargets\|Languages\)' > "$apt/apt.conf.new" || true
  cat >> "$apt/apt.conf.new" << EOF
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$apt/none";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$apt/none";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "";
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
EOF
  mv "$apt/apt.conf.new" "$apt/apt.conf"
  export APT_CONFIG="$apt/apt.conf"
}

update_lists() {
  apt-get update -q > "$apt/update.log" 2>&1 ||
    fail "the package lists of $suite cannot be read from $mirror:" \
      "$(grep -E '^(E|W|Err)' "$apt/update.log" | head -n 3)" \
      "Check the network. If this mirror does not have $suite, set MIRROR, for example to" \
      "http://deb.debian.org/debian."
}
