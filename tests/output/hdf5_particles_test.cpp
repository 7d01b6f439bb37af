#include "pliant/output/hdf5_particles.h"

#include <gtest/gtest.h>

#include <array>

#include "output/sample_frames.h"
#include "output/scratch_folder.h"
#include "pliant/base/error.h"
#include "pliant/output/hdf5_file.h"

namespace pliant {
namespace {

// Other programs look for the signature of HDF5 at 0, 512, 1024, ... bytes; ours follows our block.
TEST(Hdf5Particles, StartWhereOtherProgramsLook) {
    const ScratchFolder folder;
    write_hdf5_particles(folder / "frame.h5", full_frame(5));
    EXPECT_EQ(file_text(folder / "frame.h5").substr(512, 8), "\x89HDF\r\n\x1A\n");
}

TEST(Hdf5Particles, HoldTheDeformationRowByRow) {
    const ScratchFolder folder;
    const ParticleFrame frame = full_frame(5);
    write_hdf5_particles(folder / "frame.h5", frame);
    std::array<float, 45> rows;
    Hdf5Reader(folder / "frame.h5").read_array("deformation", Hdf5Type::float32, rows.data(), 5, 9);
    EXPECT_EQ(rows[9 + 1], frame.deformation[1](0, 1));
    EXPECT_NE(frame.deformation[1](0, 1), frame.deformation[1](1, 0));
}

TEST(Hdf5Files, OfAnotherKindAreRefused) {
    const ScratchFolder folder;
    Hdf5Writer file;
    file.add_text("/", "kind", "something else");
    file.write(folder / "other.h5");
    EXPECT_THROW(read_hdf5_particles(folder / "other.h5"), InputError);
}

TEST(Hdf5Files, WithArraysOfAnotherShapeAreRefused) {
    const ScratchFolder folder;
    Hdf5Writer file;
    const std::array<float, 6> numbers{};
    const double time = 0;
    file.add_text("/", "kind", "pliant particles 1");
    file.add_number("time", Hdf5Type::float64, &time);
    file.add_array("position", Hdf5Type::float32, numbers.data(), 3, 2);
    file.write(folder / "other.h5");
    EXPECT_THROW(read_hdf5_particles(folder / "other.h5"), InputError);

    const Hdf5Reader reader(folder / "other.h5");
    std::array<float, 6> read{};
    EXPECT_NO_THROW(reader.read_array("position", Hdf5Type::float32, read.data(), 3, 2));
    EXPECT_THROW(reader.read_array("position", Hdf5Type::uint32, read.data(), 3, 2), InputError);
    EXPECT_THROW(reader.read_array("position", Hdf5Type::float32, read.data(), 6), InputError);
    EXPECT_THROW(reader.read_array("absent", Hdf5Type::float32, read.data(), 6), InputError);
    EXPECT_THROW(reader.names_in("absent"), InputError);
    EXPECT_THROW(reader.read_text("/", "absent"), InputError);
}

}  // namespace
}  // namespace pliant
