#include "pliant/output/ply_particles.h"

#include <gtest/gtest.h>

#include "output/sample_frames.h"
#include "output/scratch_folder.h"

namespace pliant {
namespace {

// What Blender, Houdini, MeshLab and ParaView look for: a standard header, then rows of x, y, z, ...
TEST(PlyParticles, HaveAHeaderThatOtherProgramsRead) {
    const ScratchFolder folder;
    write_ply_particles(folder / "frame.ply", full_frame(7));
    const std::string text = file_text(folder / "frame.ply");
    EXPECT_TRUE(text.starts_with("ply\nformat binary_little_endian 1.0\n"));
    EXPECT_NE(text.find("element vertex 7\nproperty float x\nproperty float y\nproperty float z\nproperty float vx\n"),
              std::string::npos);
    EXPECT_NE(text.find("comment unit stress Pa\n"), std::string::npos);
    EXPECT_NE(text.find("property float stress\n"), std::string::npos);
    const std::size_t start = text.find("end_header\n") + 11;
    EXPECT_EQ((text.size() - start) % 7, 0u);
}

TEST(PlyParticles, HoldTheNumbersInTheOrderOfTheHeader) {
    const ScratchFolder folder;
    const ParticleFrame frame = full_frame(3);
    write_ply_particles(folder / "frame.ply", frame);
    const std::string text = file_text(folder / "frame.ply");
    const std::size_t start = text.find("end_header\n") + 11, row = (text.size() - start) / 3;
    Eigen::Vector3f position, velocity;
    std::memcpy(position.data(), &text[start + 2 * row], 12);
    std::memcpy(velocity.data(), &text[start + 2 * row + 12], 12);
    EXPECT_EQ(position, frame.position[2]);
    EXPECT_EQ(velocity, frame.velocity[2]);
}

}  // namespace
}  // namespace pliant
