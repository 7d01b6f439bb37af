#include "pliant/base/error.h"

#include <gtest/gtest.h>

#include <string_view>

namespace pliant {
namespace {

template <class E>
void expect_message_and_place() {
    const unsigned line = std::source_location::current().line() + 2;
    try {
        throw E("what is wrong, and what to do");
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "what is wrong, and what to do");
        EXPECT_EQ(error.place().line(), line);
        EXPECT_TRUE(std::string_view(error.place().file_name()).ends_with("error_test.cpp"))
            << error.place().file_name();
        EXPECT_NE(std::string_view(error.place().function_name()).find("expect_message_and_place"),
                  std::string_view::npos);
    }
}

TEST(Error, CarriesItsMessageAndThePlaceThatThrewIt) {
    expect_message_and_place<Error>();
    expect_message_and_place<InputError>();
    expect_message_and_place<SimulationError>();
    expect_message_and_place<FileError>();
}

TEST(Error, KindsAreToldApart) {
    EXPECT_THROW(throw InputError(""), InputError);
    EXPECT_THROW(throw InputError(""), std::runtime_error);
    EXPECT_FALSE((std::is_convertible_v<InputError*, SimulationError*>));
    EXPECT_FALSE((std::is_convertible_v<FileError*, InputError*>));
}

}  // namespace
}  // namespace pliant
