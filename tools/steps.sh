# shellcheck shell=bash
# One line a step with the seconds since the start; what the steps' programs print goes to a log, which is
# shown where one fails. To be sourced.

step() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

# start_log PATH: from here on `logged` writes there.
start_log() {
  log=$1
  mkdir -p "$(dirname "$log")"
  : >"$log"
}

# Runs a command with its output in the log; where it fails, shows the end of that and exits.
logged() {
  local from code=0
  from=$(($(wc -l <"$log") + 1))
  printf '+ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null || code=$?
  if ((code != 0)); then
    tail -n "+$from" "$log" | tail -n 60 >&2
    printf '[%4d s] failed with exit code %d: %s\nEverything it printed is in %s\n' \
      "$SECONDS" "$code" "$*" "$log" >&2
    exit 1
  fi
}
