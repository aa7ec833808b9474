#!/usr/bin/env bash
# What one GPU has to show of pi-bench, in one command of under 8 minutes: builds, checks every kernel by itself and every
# product, measures the table of docs/gpu against cuBLAS (and PyTorch where it is), the agreement of clocks, the host's
# overhead, the time to the first sample. What it left out stands in its result. Needs the NVIDIA driver, nvcc, g++ and
# Python 3 at most; Node, what pi-bench needs of npm, and what was built elsewhere of the same sources may come along in the
# folder that `node scripts/gpu-check/pack.mjs` makes, so no network is needed.
#
#   scripts/gpu-check.sh [FOLDER [SECONDS [STEP...]]]
#
# writes <gpu>.json and <gpu>.md to FOLDER, anew after each step; docs/gpu and 470 seconds unless told otherwise. STEP: only these,
# as scripts/gpu-check/steps.mjs names them (memory, tests, float64:8192, ...), to <gpu>-steps.json and .md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
readonly carried=${PIBENCH_CARRIED:-$root/.gpu-check}
out=${1:-docs/gpu}

# unpack ARCHIVE FOLDER: also where there is no xz.
unpack() {
  tar -xJf "$1" -C "$2" 2>/dev/null || python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$2"
}

node=$(command -v node || true)
if [[ -z $node || -e $carried/node.tar.xz ]]; then
  if [[ ! -e $carried/node.tar.xz ]]; then
    echo "gpu-check: there is no node here, and none was packed: run node scripts/gpu-check/pack.mjs where there is npm" >&2
    exit 64
  fi
  mkdir -p "$carried/node"
  [[ -x $carried/node/package/bin/node ]] || unpack "$carried/node.tar.xz" "$carried/node"
  node=$carried/node/package/bin/node
fi
for part in modules dist tests; do
  [[ -e $carried/$part.tar.xz ]] || continue
  # What was packed may be older than what is here.
  [[ $part == dist ]] && "$node" scripts/gpu-check/compiled.mjs && continue
  unpack "$carried/$part.tar.xz" "$root"
done

# Beside what is built here, which it replaces only where it is of these sources.
if [[ -e $carried/built.tar.xz ]]; then
  mkdir -p "$root/build/gpu-check/carried"
  unpack "$carried/built.tar.xz" "$root/build/gpu-check/carried"
fi

# Whatever is timed here is no program that is debugged, whose launches would wait for their kernels: pi-bench sees to that by
# itself, and what stands beside it would be slower.
export CUDA_LAUNCH_BLOCKING=0

# Without persistence mode the driver lets go of a GPU that nobody uses, and each of the many processes to come would wait
# for it to wake up: while this file is open it stays awake. No setting is changed.
if [[ -c /dev/nvidia0 ]]; then
  { exec 9</dev/nvidia0; } 2>/dev/null || true
fi

exec "$node" scripts/gpu-check/main.mjs "$out" "${@:2}"
