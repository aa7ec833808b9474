#!/bin/bash
# Slurm's HealthCheckProgram: drains a node whose last qualification says no, and takes back only what it drained itself.
#
#   HealthCheckProgram=/etc/slurm/pi-bench-health-check.sh
#   HealthCheckInterval=300
#   HealthCheckNodeState=IDLE,CYCLE
#
# Slurm runs it as root on every node, with a bare environment, and kills it after 60 s. So it measures nothing: it reads the
# verdict that `pi-bench qualify` left, which takes a moment.
set -u

# Slurm exports no PATH. Where slurm.conf is not in its usual place, SLURM_CONF belongs here as well.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

PI_BENCH=${PI_BENCH:-/opt/pi-bench/bin/pi-bench}
MAX_AGE=${PI_BENCH_MAX_AGE:-24h}
NODE=${SLURMD_NODENAME:-$(hostname -s)}

verdict=$(timeout --kill-after=5 45 "$PI_BENCH" verdict --max-age "$MAX_AGE" 2>&1)
status=$?
verdict=${verdict%%$'\n'*}

drained_by_us() {
  local shown
  shown=$(scontrol --oneliner show node "$NODE")
  [[ $shown == *DRAIN* && $shown == *'Reason=pi-bench:'* ]]
}

case $status in
  0)
    if drained_by_us; then scontrol update NodeName="$NODE" State=RESUME; fi
    ;;
  1)
    scontrol update NodeName="$NODE" State=DRAIN Reason="pi-bench: $verdict"
    ;;
  *)
    # No verdict, an old one, or no answer in time: that is no reason to lose a node, but somebody should know.
    logger -t pi-bench "no verdict on $NODE (status $status): $verdict" || true
    ;;
esac
exit 0
