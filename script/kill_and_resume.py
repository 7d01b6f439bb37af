"""Kills runs at random moments and resumes them: what they leave must be what an undisturbed run leaves, bit by bit.

    kill_and_resume.py PLIANT SCENE ROUNDS [SEED]

A round starts the scene, kills it (kill -9) up to three times, and lets it finish. Frames must be equal byte by byte,
and statistics in all but the seconds that phases took.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

MOST_KILLS = 3
SETTINGS = ['--set', 'output.checkpoint_every=2', '--set', 'output.report=false', '--frames', '24', '--quiet']


def start(pliant, scene, folder, resume):
    command = [pliant, 'run', scene, '-o', str(folder), *SETTINGS, *(['--resume'] if resume else [])]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, words = process.communicate()
    if process.returncode != 0:
        sys.exit(f'the run failed with exit code {process.returncode}: {words}')


def killed(process, after):
    """Whether the process was still alive to be killed after so many seconds."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    finish(process)
    return False


def holds_a_run(folder):
    return any((folder / name).exists() for name in ('run.json', 'checkpoint.h5', 'stats.jsonl'))


def statistics_of(folder):
    lines = [json.loads(line) for line in (folder / 'stats.jsonl').read_text().splitlines()]
    for line in lines:
        line.pop('seconds')
    return lines


def frames_of(folder):
    """The frames by name; a file that begins with a dot is the half of one that a killed run was writing."""
    return {path.name: path.read_bytes() for path in (folder / 'frames').glob('[!.]*')}


def difference(folder, undisturbed):
    ours, theirs = frames_of(folder), frames_of(undisturbed)
    if ours.keys() != theirs.keys():
        return f'other frames: {sorted(ours.keys() ^ theirs.keys())}'
    differing = sorted(name for name in ours if ours[name] != theirs[name])
    if differing:
        return f'frames differ: {differing}'
    return '' if statistics_of(folder) == statistics_of(undisturbed) else 'statistics differ'


def main(pliant, scene, rounds, seed=1):
    chance = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as work:
        undisturbed = pathlib.Path(work) / 'undisturbed'
        begin = time.monotonic()
        finish(start(pliant, scene, undisturbed, resume=False))
        seconds = time.monotonic() - begin
        for number in range(1, int(rounds) + 1):
            folder = pathlib.Path(work) / f'round{number}'
            kills = 0
            while kills < MOST_KILLS and killed(start(pliant, scene, folder, holds_a_run(folder)), chance.uniform(0, seconds)):
                kills += 1
            if kills == MOST_KILLS:
                finish(start(pliant, scene, folder, holds_a_run(folder)))
            wrong = difference(folder, undisturbed)
            print(f'round {number}: killed {kills} times, {wrong or "the same bits"}', flush=True)
            if wrong:
                return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
