#!/bin/sh
# Fires one prompt for every git repository below a folder, into the workspace that is named like
# it, and says which repositories were not taken.
#
#   ask-each-repository.sh ~/code prompts/update-dependencies.md
#
# Prints each repository with its session; an error goes to standard error. Ends with the status of
# the first failure, but 6 (delivery unknown) before all others, as oppi itself does.
set -u

folder=${1:?usage: ask-each-repository.sh FOLDER PROMPT-FILE}
prompt=${2:?usage: ask-each-repository.sh FOLDER PROMPT-FILE}
result=0

for git in "$folder"/*/.git; do
  [ -e "$git" ] || continue
  repository=$(basename "$(dirname "$git")")
  session=$("$HOME/.local/bin/oppi" ask -q -w "$repository" -F "$prompt")
  status=$?
  if [ "$status" -eq 0 ]; then
    printf '%s\t%s\n' "$repository" "$session"
  else
    printf '%s: not asked (status %d)\n' "$repository" "$status" >&2
    if [ "$result" -eq 0 ] || [ "$status" -eq 6 ]; then result=$status; fi
  fi
done
exit "$result"
