#!/bin/sh
# Asks for a key, which has no terminal, and tells by a notification what became of it: that the
# agent works on it, or why not, with the hint. Takes the arguments of 'oppi ask'.
#
#   install -Dm755 ask-and-tell.sh ~/.local/bin/ask-and-tell
set -u

if said=$("$HOME/.local/bin/oppi" ask "$@" 2>&1 >/dev/null); then
  notify-send -a oppi oppi "$said"
else
  status=$?
  notify-send -a oppi -u critical "oppi: not asked (status $status)" "$said"
  exit "$status"
fi
