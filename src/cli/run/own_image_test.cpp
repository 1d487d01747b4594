#include "cli/run/own_image.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/own_image.h"

namespace coppice::cli {
namespace {

class OwnImageTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("COPPICE_IMAGE");
    unsetenv("GROVE_INIT_CONTAINER_IMAGE");
  }
};

TEST_F(OwnImageTest, IsThatOfTheProcessElseThatOfTheRelease) {
  EXPECT_EQ(OwnImage(), base::kOwnImage);
  EXPECT_EQ(InitContainerImage(), base::kOwnImage);
  setenv("COPPICE_IMAGE", "r.example:5000/coppice:7", 1);
  EXPECT_EQ(OwnImage(), "r.example:5000/coppice:7");
  EXPECT_EQ(InitContainerImage(), "r.example:5000/coppice:7");
}

TEST_F(OwnImageTest, GrovesVariableNamesARepositoryOrAWholeImage) {
  setenv("COPPICE_IMAGE", "r.example:5000/coppice:7@sha256:ab", 1);
  setenv("GROVE_INIT_CONTAINER_IMAGE", "r.example:5000/grove-initc", 1);
  EXPECT_EQ(InitContainerImage(), "r.example:5000/grove-initc:7");
  setenv("GROVE_INIT_CONTAINER_IMAGE", "grove-initc:v1", 1);
  EXPECT_EQ(InitContainerImage(), "grove-initc:v1");
  setenv("GROVE_INIT_CONTAINER_IMAGE", "grove-initc@sha256:cd", 1);
  EXPECT_EQ(InitContainerImage(), "grove-initc@sha256:cd");
}

}  // namespace
}  // namespace coppice::cli
