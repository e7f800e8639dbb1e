#!/usr/bin/env bash
# make docker-lab: the lab of containers in the foreground. Writes .lab/manifest.json when it is ready;
# Ctrl-C stops everything and removes it.
set -euo pipefail
cd "$(dirname "$0")/.."
compose() { docker compose -f docker/compose.yaml "$@"; }
stop() { compose down --volumes --timeout 10; rm -f .lab/manifest.json; }
trap stop EXIT
compose up --detach --build
until manifest=$(curl --silent --fail "http://127.0.0.1:${OPS_PORT:-8090}/lab/manifest") &&
  curl --silent --fail --output /dev/null "http://127.0.0.1:${OPS_PORT:-8090}/readyz"; do
  sleep 0.5
done
mkdir -p .lab
(umask 077 && printf '%s\n' "$manifest" >.lab/manifest.json)
compose logs --follow
