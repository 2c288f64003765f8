#!/usr/bin/env bash
# Runs experiments in a job of CI, and ends with the exit code of "turnsole run".
#   TURNSOLE_ARGS     arguments, split at blanks
#   TURNSOLE_COMMAND  the command; default: that of this checkout
#   TURNSOLE_USER     root: by sudo, where the user is not root already and may do that without a password
#   TURNSOLE_FOLDER   folder of the artifacts; default: a new one below RUNNER_TEMP or /tmp
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${TURNSOLE_FOLDER:-$(mktemp -d "${RUNNER_TEMP:-/tmp}/turnsole-XXXXXX")}
if [ -n "${TURNSOLE_COMMAND:-}" ]; then
  read -r -a command <<<"$TURNSOLE_COMMAND"
else
  command=(node "$here/bin/turnsole.js")
fi
if [ "${TURNSOLE_USER:-root}" = root ] && [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then
  command=(sudo -E env "PATH=$PATH" "${command[@]}")
fi
read -r -a arguments <<<"${TURNSOLE_ARGS:-}"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'folder=%s\njunit=%s\n' "$folder" "$folder/junit.xml" >>"$GITHUB_OUTPUT"
fi
"${command[@]}" run "${arguments[@]}" --no-timeline --artifacts "$folder"
code=$?
# What root has written is uploaded by the user.
if [ "$(id -u)" != 0 ] && [ ! -O "$folder/junit.xml" ]; then
  sudo -n chown -R "$(id -u):$(id -g)" "$folder" 2>/dev/null || true
fi
exit "$code"
