#!/bin/sh
# How long an ask takes against a server on this machine, as ratios to the start of the program and
# to one POST with curl.
#
#   swift build -c release --static-swift-stdlib && Tests/Benchmarks/ask.sh
#
# Needs hyperfine. The server is the demo's own, over TLS with a pinned certificate.
set -eu

oppi=${1:-.build/release/oppi}
home=$(mktemp -d)
export HOME="$home"
"$oppi" demo --serve >"$home/invite" 2>/dev/null &
server=$!
trap 'kill $server; rm -rf "$home"' EXIT
until [ -s "$home/invite" ]; do :; done

"$oppi" pair -q - <"$home/invite" >/dev/null
"$oppi" workspaces >/dev/null
url=$("$oppi" servers --json | sed 's/.*"url":"\([^"]*\)".*/\1/')
hyperfine -N --warmup 3 --runs 15 "$oppi --version" "$oppi ask -q -w demo hi" \
  "curl -ks -d {} $url/workspaces" 2>/dev/null | grep -E 'Benchmark|Time|Range|faster|±'
