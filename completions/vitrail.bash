# bash completion for vitrail
_vitrail() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local device="--threads --level --interpreter --reference --in-order --numeric --tier --no-cache --no-sandbox"
    local commands="run record replay decode info asm dis lint qpu compare explain profile gpus"
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        return
    fi
    case "$prev" in
    --numeric) mapfile -t COMPREPLY < <(compgen -W "fast exact usual" -- "$cur"); return ;;
    --level) mapfile -t COMPREPLY < <(compgen -W "sse4.1 avx2 avx512" -- "$cur"); return ;;
    --tier) mapfile -t COMPREPLY < <(compgen -W "auto quick optimised" -- "$cur"); return ;;
    --gpu) mapfile -t COMPREPLY < <(compgen -W "vc4 mali400 mali450" -- "$cur"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "hex int float" -- "$cur"); return ;;
    --stage) mapfile -t COMPREPLY < <(compgen -W "fragment vertex coordinate user" -- "$cur"); return ;;
    --severity) mapfile -t COMPREPLY < <(compgen -W "note warning error" -- "$cur"); return ;;
    --isa) mapfile -t COMPREPLY < <(compgen -W "vc4-qpu utgard-gp utgard-pp" -- "$cur"); return ;;
    --by) mapfile -t COMPREPLY < <(compgen -W "time instructions" -- "$cur"); return ;;
    --frames | --sysroot) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --) mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return ;;
    esac
    if [ "$command" = qpu ] && [ "$COMP_CWORD" = 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run --help" -- "$cur")
        return
    fi
    local options
    case "$command" in
    run | record) options="--gpu --memory --mode --frames --sysroot --log --record -o --preload --sync --any-driver -- $device" ;;
    replay) options="--png --frames --frame --all --rgba --verify --tolerance --loops --stats --times $device" ;;
    decode) options="--job --no-programs --tiles --pages --json --no-sandbox" ;;
    asm) options="--isa -o --hex --check --no-sandbox" ;;
    dis) options="--isa --hex --check --no-sandbox" ;;
    lint) options="--isa --stage --severity --json --rules --no-sandbox" ;;
    qpu) options="--qpus --uniforms --mem --dump --format --start --memory --fuel --times $device" ;;
    explain) options="--frame --pixel --sample --draw --no-trace --all --json $device" ;;
    profile) options="--frames --heat --by --draws --instructions --loops --all --json $device" ;;
    info) options="--no-sandbox" ;;
    compare) options="--tolerance --share --alpha --diff --no-sandbox" ;;
    *) options= ;;
    esac
    case "$cur" in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    esac
}
complete -F _vitrail vitrail
