#!/bin/bash
# vitrail verify as a Slurm job array: N shards, then one report.
#
#     recipes/slurm.sh N FOLDER|MANIFEST [options of vitrail verify and merge's --html, --junit]
#     recipes/slurm.sh 8 captures
#
# Leaves vitrail-report/report.json and report.html in the current folder, which all nodes see, as they do the captures and vitrail itself.
# The last job that it prints ends as `vitrail merge` does: `srun`-like scripts wait for it with `sbatch --wait`.
#SBATCH --job-name=vitrail
#SBATCH --output=vitrail-report/slurm-%A-%a.log
set -euo pipefail

case "${VITRAIL_STEP:-submit}" in
submit)
    [ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
    shards=$1; shift
    mkdir -p vitrail-report
    rm -f vitrail-report/shard-*.json
    self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
    array=$(VITRAIL_STEP=shard sbatch --parsable --array="1-$shards" "$self" "$@")
    # After any: a shard that found a difference has failed as far as Slurm knows; one that is missing, merge tells.
    merge=$(VITRAIL_STEP=merge sbatch --parsable --dependency="afterany:${array%%;*}" --output=vitrail-report/merge.log "$self")
    echo "shards: job $array; report: job $merge"
    ;;
shard)
    vitrail verify --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
        --json "vitrail-report/shard-$SLURM_ARRAY_TASK_ID.json" "$@"
    ;;
merge)
    vitrail merge vitrail-report/shard-*.json --json vitrail-report/report.json --html vitrail-report/report.html
    ;;
esac
