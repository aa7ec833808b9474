#!/bin/bash
# Slurm's HealthCheckProgram: drains a node whose last qualification says no, and takes back only what it drained itself; a node
# that is out for another reason it leaves as it is.
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
# A yes of less, as each job's epilog leaves it (t0), is none. Empty where the suite is one of your own, which has no tier.
TIER=${PI_BENCH_TIER-t1}
NODE=${SLURMD_NODENAME:-$(hostname -s)}

said=$(timeout --kill-after=5 45 "$PI_BENCH" verdict --max-age "$MAX_AGE" ${TIER:+--tier "$TIER"} 2>&1)
status=$?
verdict=${said%%$'\n'*}
# Node ends with 1, too, where it cannot load pi-bench: only a line that says no is a no.
if ((status == 1)); then
  if no=$(grep --max-count=1 '^not-qualified ' <<<"$said"); then verdict=$no; else status=70; fi
fi

shown() { scontrol --oneliner show node "$NODE"; }
is_out() {
  local state=${1#* State=}
  [[ ${state%% *} =~ DRAIN|DOWN|FAIL ]]
}
is_ours() { [[ $1 == *' Reason=pi-bench:'* ]]; }

case $status in
  0)
    node=$(shown)
    if [[ $node == *DRAIN* ]] && is_ours "$node"; then scontrol update NodeName="$NODE" State=RESUME; fi
    ;;
  1)
    # Who took the node out for another reason has to find that reason again: with ours in its place a later yes would give it back.
    if ! node=$(shown); then
      logger -t pi-bench "cannot ask Slurm about $NODE, so it is not drained: $verdict" || true
    elif is_out "$node" && ! is_ours "$node"; then
      logger -t pi-bench "$NODE is out for another reason already: $verdict" || true
    else
      scontrol update NodeName="$NODE" State=DRAIN Reason="pi-bench: $verdict"
    fi
    ;;
  *)
    # No verdict, an old one, or no answer in time: that is no reason to lose a node, but somebody should know.
    logger -t pi-bench "no verdict on $NODE (status $status): $verdict" || true
    ;;
esac
exit 0
