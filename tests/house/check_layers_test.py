"""Builds small houses, sound and unsound, and looks whether check_layers.py tells them apart."""
import pathlib
import tempfile
import unittest

from check_layers import check

SOUND = {
    'LAYERS': 'base\nmath physics\nscene\n',
    'CMakeLists.txt': ''.join(f'add_subdirectory({room})\n' for room in ('base', 'math', 'physics', 'scene')),
    'base/CMakeLists.txt': 'pliant_room(base)\n',
    'base/log.h': '#include <string>\n#include <fmt/core.h>\n',
    'math/CMakeLists.txt': 'pliant_room(math USES base PUBLIC Eigen3::Eigen)\n',
    'math/types.h': '#include <Eigen/Core>\n#include "pliant/base/log.h"\n',
    'physics/CMakeLists.txt': 'pliant_room(physics USES base)\n',
    'physics/force.cpp': '#include "pliant/base/log.h"\n',
    'scene/CMakeLists.txt': 'pliant_room(scene USES math physics\n  PRIVATE hdf5::hdf5)\n',
    'scene/world.cpp': '#include <hdf5.h>\n#include "pliant/base/log.h"\n#include "pliant/math/types.h"\n',
}


class Houses(unittest.TestCase):
    def problems(self, changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**SOUND, **changes}.items():
                path = pathlib.Path(root) / 'src' / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(root)

    def assert_refused(self, changes, *words):
        found = self.problems(changes)
        for word in words:
            self.assertTrue(any(word in line for line in found), f'{word!r} is not in {found}')

    def test_a_sound_house_is_accepted(self):
        self.assertEqual(self.problems({}), [])

    def test_an_include_upstairs_is_refused(self):
        self.assert_refused({'base/log.h': '#include "pliant/math/types.h"\n'}, 'src/base/log.h', 'upstairs')

    def test_rooms_that_include_each_other_are_refused(self):
        self.assert_refused({'base/log.h': '#include "pliant/math/types.h"\n'}, 'src/base and src/math include each other')

    def test_an_include_next_door_is_refused(self):
        self.assert_refused({'physics/force.cpp': '#include "pliant/math/types.h"\n'}, 'next door')

    def test_a_room_that_layers_does_not_know_is_refused(self):
        self.assert_refused({'attic/box.h': '', 'attic/CMakeLists.txt': 'pliant_room(attic)\n'},
                            'src/attic: is missing from src/LAYERS', 'adds attic 0 times')

    def test_an_include_of_nothing_is_refused(self):
        self.assert_refused({'scene/world.cpp': '#include "pliant/math/absent.h"\n'}, 'does not exist')

    def test_an_include_that_does_not_name_its_room_is_refused(self):
        self.assert_refused({'scene/world.cpp': '#include "world.h"\n'}, 'write "pliant/scene/..."')

    def test_a_library_in_a_header_is_refused(self):
        self.assert_refused({'math/types.h': '#include <tbb/parallel_for.h>\n'}, '<tbb/parallel_for.h>')

    def test_two_targets_in_a_room_are_refused(self):
        self.assert_refused({'base/CMakeLists.txt': 'pliant_room(base)\npliant_room(more)\n'}, 'holds 2')

    def test_a_target_that_uses_a_room_above_is_refused(self):
        self.assert_refused({'base/CMakeLists.txt': 'pliant_room(base USES scene)\n'}, 'uses scene')

    def test_a_target_that_does_not_use_what_it_includes_is_refused(self):
        self.assert_refused({'scene/CMakeLists.txt': 'pliant_room(scene USES physics)\n'}, 'does not use math')


if __name__ == '__main__':
    unittest.main()
