#!/usr/bin/env bash
# make docker-lab: the lab of containers in the foreground. Writes manifest.json into .lab (FORKYARD_LAB_DIR)
# when it is ready; Ctrl-C stops everything and removes it.
set -euo pipefail
cd "$(dirname "$0")/.."
lab=${FORKYARD_LAB_DIR:-.lab}
if [ -e "$lab/status.json" ]; then
  echo "$lab belongs to a lab of processes: stop it with make lab-down" >&2
  exit 1
fi
compose() { docker compose -f docker/compose.yaml "$@"; }
stop() { compose down --volumes --timeout 10; rm -f "$lab/manifest.json"; }
trap stop EXIT
trap 'exit 0' INT TERM HUP
rm -f "$lab/manifest.json" # of one that was killed
compose up --detach --build
until manifest=$(curl --silent --fail "http://127.0.0.1:${OPS_PORT:-8090}/lab/manifest") &&
  curl --silent --fail --output /dev/null "http://127.0.0.1:${OPS_PORT:-8090}/readyz"; do
  sleep 0.5
done
mkdir -p "$lab"
(umask 077 && printf '%s\n' "$manifest" >"$lab/manifest.json.new")
mv "$lab/manifest.json.new" "$lab/manifest.json"
# Beside the shell: one that waits for a command in the foreground hears no signal.
compose logs --follow &
wait $!
