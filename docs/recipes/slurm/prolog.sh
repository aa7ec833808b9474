#!/bin/bash
# Slurm's Prolog: keeps a job off a node whose last qualification says no. Slurm then drains the node, and requeues and holds the job.
#
#   Prolog=/etc/slurm/pi-bench-prolog.sh
#   PrologFlags=Alloc
#
# Every job waits for it, so it only reads the verdict. Slurm's own commands must not be called from here. Only a clear no (1) is
# one: without a verdict the job runs, unless PI_BENCH_STRICT is set.
set -u

# Slurm exports no PATH.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

PI_BENCH=${PI_BENCH:-/opt/pi-bench/bin/pi-bench}
MAX_AGE=${PI_BENCH_MAX_AGE:-24h}
# A yes of less, as each job's epilog leaves it (t0), is none. Empty where the suite is one of your own, which has no tier.
TIER=${PI_BENCH_TIER-t1}

said=$(timeout --kill-after=2 10 "$PI_BENCH" verdict --max-age "$MAX_AGE" ${TIER:+--tier "$TIER"} 2>&1)
status=$?
verdict=${said%%$'\n'*}
# Node ends with 1, too, where it cannot load pi-bench: only a line that says no is a no.
if ((status == 1)); then
  if no=$(grep --max-count=1 '^not-qualified ' <<<"$said"); then verdict=$no; else status=70; fi
fi

if ((status == 0)); then exit 0; fi
logger -t pi-bench "job ${SLURM_JOB_ID:-?}: status $status: $verdict" || true
if ((status == 1)) || [[ -n ${PI_BENCH_STRICT:-} ]]; then
  echo "pi-bench: $verdict" >&2
  exit 1
fi
exit 0
