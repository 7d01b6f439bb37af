"""Merges the JSON files of Google Benchmark into one, with machine and commit, and prints what was measured.

    collect_benchmarks.py BUILD RESULTS FILE...     writes RESULTS/<date>-<commit>.json
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

# What Google Benchmark itself writes for a benchmark; everything else is a counter of ours.
ITS_OWN = {'name', 'run_name', 'run_type', 'family_index', 'per_family_instance_index', 'repetitions', 'repetition_index',
           'threads', 'iterations', 'real_time', 'cpu_time', 'time_unit', 'label', 'aggregate_name', 'aggregate_unit',
           'error_occurred', 'error_message', 'big_o', 'rms', 'cpu_coefficient', 'real_coefficient'}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def first_match(path, pattern):
    found = re.search(pattern, pathlib.Path(path).read_text(), re.M)
    return found.group(1).strip() if found else 'unknown'


def describe_machine(build):
    compiler = first_match(build / 'CMakeCache.txt', r'^CMAKE_CXX_COMPILER:\w+=(.*)$')
    return {
        'processor': first_match('/proc/cpuinfo', r'^model name\s*:(.*)$'),
        'cores': os.cpu_count(),
        'memory_bytes': 1024 * int(first_match('/proc/meminfo', r'^MemTotal:\s*(\d+)')),
        'compiler': output_of(compiler, '--version').splitlines()[0],
        'avx2': first_match(build / 'CMakeCache.txt', r'^PLIANT_AVX2:\w+=(.*)$'),
    }


def describe_commit():
    try:
        commit = output_of('git', 'rev-parse', '--short=10', 'HEAD')
        return commit + ('-changed' if output_of('git', 'status', '--porcelain', '--untracked-files=no') else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def counters_of(benchmark):
    return {key: value for key, value in benchmark.items() if key not in ITS_OWN}


def readable(value):
    return f'{value:.4g}' if isinstance(value, (int, float)) else str(value)


def main(build, results, files):
    build = pathlib.Path(build)
    merged = {'date': datetime.datetime.now().astimezone().isoformat(timespec='seconds'), 'commit': describe_commit(),
              'machine': describe_machine(build), 'programs': {}}
    failed = []
    for file in map(pathlib.Path, files):
        benchmarks = json.loads(file.read_text())['benchmarks']
        merged['programs'][file.stem] = benchmarks
        print(f'\n{file.stem}')
        for b in benchmarks:
            if b.get('error_occurred'):
                failed.append(f'{file.stem}: {b["name"]}: {b.get("error_message", "")}')
                continue
            counters = '  '.join(f'{key} {readable(value)}' for key, value in counters_of(b).items())
            print(f'  {b["name"]:<56} {b["real_time"]:12.4g} {b["time_unit"]}  {counters}'.rstrip())
    target = pathlib.Path(results) / f'{merged["date"][:10]}-{merged["commit"]}.json'
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(merged, indent=1) + '\n')
    print(f'\n{target}')
    for line in failed:
        print(f'failed: {line}', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
