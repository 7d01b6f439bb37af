#include "pliant/output/hdf5_particles.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>

#include "output/sample_frames.h"
#include "output/scratch_folder.h"
#include "pliant/base/error.h"
#include "pliant/output/hdf5_file.h"

namespace pliant {
namespace {

// As h5py or ParaView would: straight from the disk, past our block at the file's start.
TEST(Hdf5Particles, AreAPlainHdf5FileForOtherPrograms) {
    const ScratchFolder folder;
    const ParticleFrame frame = full_frame(5);
    write_hdf5_particles(folder / "frame.h5", frame);
    const hid_t file = H5Fopen((folder / "frame.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    const hid_t position = H5Dopen2(file, "/position", H5P_DEFAULT);
    std::array<Eigen::Vector3f, 5> read;
    EXPECT_GE(H5Dread(position, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), 0);
    EXPECT_EQ(read[4], frame.position[4]);
    const hid_t deformation = H5Dopen2(file, "/deformation", H5P_DEFAULT);
    std::array<float, 45> rows;
    EXPECT_GE(H5Dread(deformation, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), 0);
    EXPECT_EQ(rows[9 + 1], frame.deformation[1](0, 1)) << "F is written row by row";
    EXPECT_NE(frame.deformation[1](0, 1), frame.deformation[1](1, 0));
    H5Dclose(position);
    H5Dclose(deformation);
    H5Fclose(file);
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
