#!/bin/bash
# Slurm's Epilog: looks after each job whether the node is still what it should be, without load and within seconds. A clear no
# drains the node (an Epilog that fails does).
#
#   Epilog=/etc/slurm/pi-bench-epilog.sh
#
# Jobs that share the node may still run, so nothing is measured here: tier t0 counts and reads. Only the record of a no is kept:
# there are many jobs. Of any other answer the file that `pi-bench verdict` reads names a record that is gone.
set -u

# Slurm exports no PATH.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

PI_BENCH=${PI_BENCH:-/opt/pi-bench/bin/pi-bench}
OUT=${PI_BENCH_OUT:-/var/lib/pi-bench}
# What the node has to have, as gpu=8, also after a job that had fewer.
EXPECT=${PI_BENCH_EXPECT:-}
# Slurm names the job's GPUs here, by which CUDA would show no others; this looks at the node.
unset CUDA_VISIBLE_DEVICES

mkdir -p "$OUT"
if ! results=$(mktemp -d "$OUT/epilog.XXXXXX"); then
  logger -t pi-bench "nothing can be written to $OUT" || true
  exit 0
fi
said=$(timeout --kill-after=5 30 "$PI_BENCH" qualify --tier t0 ${EXPECT:+--expect "$EXPECT"} --quiet --out "$results" 2>&1)
status=$?

# Node ends with 1, too, where it cannot load pi-bench: only an answer that says no is a no.
if ((status == 1)) && grep --quiet '^NOT QUALIFIED ' <<<"$said"; then
  logger -t pi-bench "after job ${SLURM_JOB_ID:-?}: ${said##*$'\n'}" || true
  exit 1
fi
if ((status > 2 || status == 1)); then
  logger -t pi-bench "after job ${SLURM_JOB_ID:-?}: no answer (status $status): ${said##*$'\n'}" || true
fi
rm -rf -- "$results"
exit 0
