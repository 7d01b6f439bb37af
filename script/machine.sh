# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts: where the project is, how many jobs the machine carries, and how we speak.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# One job a core, but no more than one for each 1.5 GB of free memory: large template headers need that much.
jobs() {
    local cores free_kb by_memory
    cores=$(nproc)
    free_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    by_memory=$((${free_kb:-0} / 1500000))
    if [ "$by_memory" -lt 1 ]; then by_memory=1; fi
    echo $((cores < by_memory ? cores : by_memory))
}
