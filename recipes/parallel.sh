#!/bin/bash
# vitrail verify with GNU parallel: shards on this machine, or on those of --sshloginfile, which see the same folders.
#
#     recipes/parallel.sh N FOLDER|MANIFEST [options of parallel]
#     recipes/parallel.sh 16 captures --sshloginfile nodes --workdir .
#
# Leaves vitrail-report/report.json and report.html; exit status of `vitrail merge`, that of the whole.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shards=$1 subject=$2
shift 2
mkdir -p vitrail-report
rm -f vitrail-report/shard-*.json
# A shard that found a difference ends with 1; one that is missing, merge tells.
seq "$shards" | parallel "$@" vitrail verify --jobs 1 --shard "{}/$shards" --json "vitrail-report/shard-{}.json" "$(printf %q "$subject")" || true
vitrail merge vitrail-report/shard-*.json --json vitrail-report/report.json --html vitrail-report/report.html
