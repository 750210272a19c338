#!/bin/bash
# One classification on Slurm: Ray on every node of the job, the driver on the first. Edit the lines marked EDIT, then
#   sbatch configs/slurm.sh classify /shared/store --out /shared/run
# At the time limit the job stops in order and queues itself again; the same command resumes. docs/CLUSTER.md has more.
#SBATCH --job-name=nonocensus
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=12:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

source /shared/nonocensus/bin/activate  # EDIT: an environment that every node sees
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0 NUMBA_CACHE_DIR=/var/tmp/nonocensus-$USER
test -f ~/.ray/auth_token || ray get-auth-token --generate > /dev/null

port=$((20000 + SLURM_JOB_ID % 10000))  # jobs may share a node
head=$SLURMD_NODENAME address=$(hostname):$port  # Slurm's name of a node need not be its host's

srun nonocensus warm  # kernels, for each node's kind of CPU
srun --nodes=1 --ntasks=1 --nodelist="$head" --overlap \
  ray start --head --port=$port --num-cpus="$SLURM_CPUS_ON_NODE" --include-dashboard=false --block &
timeout 300 bash -c "until ray status --address=$address > /dev/null 2>&1; do sleep 2; done"
if [ "$SLURM_NNODES" -gt 1 ]; then
  srun --nodes=$((SLURM_NNODES - 1)) --ntasks=$((SLURM_NNODES - 1)) --exclude="$head" --overlap \
    ray start --address="$address" --num-cpus="$SLURM_CPUS_ON_NODE" --block &
fi

requeue=
trap 'requeue=yes; kill -TERM $!' USR1  # the time limit is near
trap 'kill -TERM $!' TERM               # scancel
nonocensus "$@" --address "$address" &
status=0
wait $! || true  # a signal ends this one
wait $! || status=$?
if [ $requeue ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
