"""Checks the doors between the rooms of src/ against src/LAYERS.

    check_layers.py ROOT     prints what is wrong, a line each, and fails if anything is

A room is a folder of src/ that holds .h or .cpp files. LAYERS names the floors, bottom first, one a line; rooms that
share a line stand side by side and never meet. A file includes only its own room and rooms on floors below. Headers
use no library but Eigen and fmt, so that whoever uses ours needs no others. A room is one CMake target, which uses
rooms below only, and at least those that its files include.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
ROOM_CALL = re.compile(r'^[ \t]*pliant_room\(\s*([^)]*)\)', re.M)
LIBRARIES_OF_HEADERS = ('Eigen/', 'fmt/')
OF_THE_SYSTEM = ('immintrin.h', 'arm_neon.h', 'sys/')
NOT_INSTALLED = {'scene/reader.h', 'base/toml_values.h'}  # src/CMakeLists.txt leaves it out of the installed headers


def read_floors(source):
    """The floor of each room, by its name."""
    floors = {}
    for number, line in enumerate((source / 'LAYERS').read_text().splitlines()):
        for room in line.split('#')[0].split():
            floors[room] = number
    return floors


def read_files(source):
    """The files of each room: {room: {file below src/: text}}."""
    rooms = {}
    for path in sorted(source.rglob('*')):
        if path.suffix in ('.h', '.cpp'):
            below = path.relative_to(source)
            rooms.setdefault(below.parent.as_posix(), {})[below.as_posix()] = path.read_text()
    return rooms


def check_includes(room, files, floors, everything):
    """What is wrong with a room's includes, and the rooms that they lead to."""
    problems, doors = [], set()
    for file, text in files.items():
        for mark, name in INCLUDE.findall(text):
            if mark == '<':
                if file.endswith('.h') and file not in NOT_INSTALLED and is_foreign(name):
                    problems.append(f'src/{file}: includes <{name}>: a header may include Eigen and fmt only; '
                                    'move it to a .cpp file')
                continue
            if not name.startswith('pliant/'):
                problems.append(f'src/{file}: includes "{name}": write "pliant/{room}/..."')
                continue
            target = name[len('pliant/'):]
            if target not in everything:
                problems.append(f'src/{file}: includes "{name}", which does not exist')
                continue
            other = target.rpartition('/')[0]
            if other == room:
                continue
            doors.add(other)
            if floors.get(other, 0) >= floors.get(room, 0):
                way = 'upstairs' if floors.get(other, 0) > floors.get(room, 0) else 'next door'
                problems.append(f'src/{file}: includes "{name}", which lies {way}')
    return problems, doors


def is_foreign(name):
    standard = '/' not in name and not name.endswith('.h')
    return not standard and not name.startswith(LIBRARIES_OF_HEADERS + OF_THE_SYSTEM)


def read_target(source, room):
    """The rooms that a room's CMake target uses, or what is wrong with the target."""
    file = source / room / 'CMakeLists.txt'
    calls = ROOM_CALL.findall(file.read_text()) if file.exists() else []
    if len(calls) != 1:
        return set(), [f'src/{room}/CMakeLists.txt: must hold one pliant_room(...), but holds {len(calls)}']
    words = calls[0].split()
    problems = [] if words[0] == room else [f'src/{room}/CMakeLists.txt: calls itself {words[0]}']
    uses, keyword = set(), None
    for word in words[1:]:
        if word in ('USES', 'PUBLIC', 'PRIVATE'):
            keyword = word
        elif keyword == 'USES':
            uses.add(word)
    return uses, problems


def reachable(room, uses):
    found, left = set(), [room]
    while left:
        for other in uses.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def check_targets(source, floors, doors):
    problems, uses = [], {}
    for room in doors:
        uses[room], wrong = read_target(source, room)
        problems += wrong
        for other in sorted(uses[room]):
            if floors.get(other, len(floors)) >= floors.get(room, 0):
                problems.append(f'src/{room}/CMakeLists.txt: uses {other}, which does not lie below')
    for room in doors:
        for other in sorted(doors[room] - reachable(room, uses)):
            problems.append(f'src/{room}/CMakeLists.txt: does not use {other}, which its files include')
    built = re.findall(r'^[ \t]*add_subdirectory\(([^) ]+)\)', (source / 'CMakeLists.txt').read_text(), re.M)
    for room in doors:
        if built.count(room) != 1:
            problems.append(f'src/CMakeLists.txt: adds {room} {built.count(room)} times, not once')
    return problems


def check(root):
    """Everything that is wrong with the house, in sentences."""
    source = pathlib.Path(root) / 'src'
    floors, rooms = read_floors(source), read_files(source)
    problems = [f'src/{room}: is missing from src/LAYERS' for room in rooms if room not in floors]
    everything = {file for files in rooms.values() for file in files}
    doors = {}
    for room, files in rooms.items():
        wrong, doors[room] = check_includes(room, files, floors, everything)
        problems += wrong
    pairs = [(a, b) for a in sorted(doors) for b in sorted(doors[a]) if a < b and a in doors.get(b, ())]
    problems += [f'src/{a} and src/{b} include each other' for a, b in pairs]
    return problems + check_targets(source, floors, doors)


if __name__ == '__main__':
    found = check(sys.argv[1])
    print('\n'.join(found) if found else 'no door leads upstairs')
    sys.exit(1 if found else 0)
