#!/bin/sh
# Measures start time and memory of a release build, as ratios to curl in the same run.
#
# Build as described in the section "Install from source" of README.md, then run:
#
#   Tests/Benchmarks/start-up.sh [OPPI]
#
# Requires hyperfine and GNU time. On a shared machine only the ratios are comparable.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A linker's output loads more slowly than a copy of it, which is what `install` creates.
cp "${1:-.build/release/oppi}" "$folder/oppi"
oppi=$folder/oppi
export HOME="$folder"

hyperfine -N --warmup 20 --runs 200 "$oppi --version" 'curl --version' "$oppi __complete -- ask -w ''" 2>/dev/null |
  grep -E 'Benchmark|Time|Range|faster|±'
for command in "$oppi --version" 'curl --version'; do
  # shellcheck disable=SC2086 # the words of the command
  /usr/bin/time -f "%M KiB at most: $command" $command >/dev/null
done
