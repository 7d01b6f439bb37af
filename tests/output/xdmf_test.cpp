#include "pliant/output/xdmf.h"

#include <gtest/gtest.h>

#include "output/sample_frames.h"
#include "output/scratch_folder.h"

namespace pliant {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Xdmf, ListsAllFramesWithTheirTimes) {
    const ScratchFolder folder;
    ParticleFrame frame = full_frame(4);
    std::vector<XdmfFrame> frames;
    for (int i = 0; i < 3; ++i) {
        frame.time = 0.25 * i;
        frames.push_back(describe_for_xdmf("frames/" + std::to_string(i) + ".h5", frame));
    }
    write_xdmf(folder / "run.xdmf", frames);
    const std::string text = file_text(folder / "run.xdmf");
    EXPECT_EQ(count(text, "CollectionType=\"Temporal\""), 1u);
    EXPECT_EQ(count(text, "<Grid "), 4u);
    EXPECT_EQ(count(text, "</Grid>"), 4u);
    EXPECT_NE(text.find("<Time Value=\"0.25\"/>"), std::string::npos);
    EXPECT_NE(text.find("Dimensions=\"4 3\">frames/2.h5:/position<"), std::string::npos);
    EXPECT_NE(text.find("frames/0.h5:/quantities/stress<"), std::string::npos);
    EXPECT_NE(text.find("Dimensions=\"4 9\">frames/0.h5:/deformation<"), std::string::npos);
}

TEST(Xdmf, LeavesOutArraysThatAFrameDoesNotHave) {
    ParticleFrame frame = full_frame(4);
    frame.material.clear();
    frame.deformation.clear();
    frame.quantities.clear();
    const ScratchFolder folder;
    const std::vector<XdmfFrame> frames = {describe_for_xdmf("a.h5", frame)};
    write_xdmf(folder / "run.xdmf", frames);
    const std::string text = file_text(folder / "run.xdmf");
    EXPECT_EQ(text.find("material"), std::string::npos);
    EXPECT_EQ(text.find("deformation"), std::string::npos);
    EXPECT_NE(text.find("a.h5:/velocity"), std::string::npos);
}

TEST(Xdmf, EscapesNamesOfFiles) {
    const ScratchFolder folder;
    const std::vector<XdmfFrame> frames = {describe_for_xdmf("a&b<c>.h5", full_frame(1))};
    write_xdmf(folder / "run.xdmf", frames);
    const std::string text = file_text(folder / "run.xdmf");
    EXPECT_NE(text.find("a&amp;b&lt;c&gt;.h5:/position"), std::string::npos);
    EXPECT_EQ(text.find("<c>"), std::string::npos);
}

}  // namespace
}  // namespace pliant
