#!/bin/sh
# How fast and how small a release build starts, as ratios to curl in the same run.
#
# Build as the section "Install" of README.md says, then run Tests/Benchmarks/start-up.sh [OPPI].
#
# Needs hyperfine and GNU time. A shared machine changes its speed; only the ratios mean anything.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What a linker has written is slower to load than a copy of it, which is what `install` makes.
cp "${1:-.build/release/oppi}" "$folder/oppi"
oppi=$folder/oppi
export HOME="$folder"

hyperfine -N --warmup 20 --runs 200 "$oppi --version" 'curl --version' "$oppi __complete -- ask -w ''" 2>/dev/null |
  grep -E 'Benchmark|Time|Range|faster|±'
for command in "$oppi --version" 'curl --version'; do
  # shellcheck disable=SC2086 # the words of the command
  /usr/bin/time -f "%M KiB at most: $command" $command >/dev/null
done
