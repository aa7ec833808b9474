#!/usr/bin/env bash
# Everything that needs a GPU, in one command of under 8 minutes: builds, checks every product, measures the table of
# docs/gpu against cuBLAS (and PyTorch where it is), the agreement of clocks, the host's overhead, the time to the first
# sample. Needs the NVIDIA driver, nvcc, g++ and Python 3 at most; Node, and what pi-bench needs of npm, may come along in
# the folder that `node scripts/gpu-check/pack.mjs` makes, so no network is needed.
#
#   scripts/gpu-check.sh [FOLDER]    writes <gpu>.json and <gpu>.md there; docs/gpu unless told otherwise
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
readonly carried=${PIBENCH_CARRIED:-$root/.gpu-check}
out=${1:-docs/gpu}

node=$(command -v node || true)
if [[ -z $node || -e $carried/node.tar.xz ]]; then
  if [[ ! -e $carried/node.tar.xz ]]; then
    echo "gpu-check: there is no node here, and none was packed: run node scripts/gpu-check/pack.mjs where there is npm" >&2
    exit 64
  fi
  mkdir -p "$carried/node"
  [[ -x $carried/node/package/bin/node ]] || tar -xJf "$carried/node.tar.xz" -C "$carried/node"
  node=$carried/node/package/bin/node
fi
for part in modules dist; do
  [[ -e $carried/$part.tar.xz ]] && tar -xJf "$carried/$part.tar.xz" -C "$root"
done

exec "$node" scripts/gpu-check/main.mjs "$out"
