#include "engine/model/extended_claim.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

ContainerSpec Container(std::string name, ContainerKind kind, int64_t gpus) {
  ContainerSpec container;
  container.name = std::move(name);
  container.kind = kind;
  container.requests["cpu"] = *base::Quantity::Parse("1");
  if (gpus > 0) container.requests["x.com/gpu"] = *base::Quantity::Parse(std::to_string(gpus));
  return container;
}

std::string Text(const ExtendedClaim& extended) {
  std::string text;
  for (const DeviceRequestSpec& request : extended.claim.requests) {
    text += request.name + "=" + std::to_string(request.count) + " ";
  }
  for (const ContainerMapping& mapping : extended.mappings) {
    text += mapping.container + ":" + mapping.request + " ";
  }
  return text;
}

class ExtendedClaimTest : public ::testing::Test {
 protected:
  std::string Make(std::vector<ContainerSpec> containers, const std::string& offered = "") {
    PodShape shape;
    shape.containers = std::move(containers);
    return Text(MakeExtendedClaim(
        shape, classes, [&](const std::string& resource) { return resource == offered; }));
  }
  const std::map<std::string, std::string> classes =
      ClassesByResource({{"gpu", {"gpu", {}, "x.com/gpu"}}});
};

TEST_F(ExtendedClaimTest, OneRequestPerContainerAndResource) {
  EXPECT_EQ(Make({Container("a", ContainerKind::kApp, 2), Container("b", ContainerKind::kApp, 0),
                  Container("c", ContainerKind::kApp, 1)}),
            "container-0-request-1=2 container-2-request-1=1 a:container-0-request-1 "
            "c:container-2-request-1 ");
  EXPECT_EQ(classes.at("deviceclass.resource.kubernetes.io/gpu"), "gpu");
}

TEST_F(ExtendedClaimTest, WhatTheNodeOffersItselfIsLeftToIt) {
  EXPECT_EQ(Make({Container("a", ContainerKind::kApp, 2)}, "x.com/gpu"), "");
}

TEST_F(ExtendedClaimTest, InitContainersReuse) {
  EXPECT_EQ(Make({Container("i", ContainerKind::kInit, 1), Container("a", ContainerKind::kApp, 2)}),
            "container-1-request-1=2 a:container-1-request-1 i:container-1-request-1 ");
  EXPECT_EQ(Make({Container("i", ContainerKind::kInit, 5), Container("j", ContainerKind::kInit, 3),
                  Container("a", ContainerKind::kApp, 2)}),
            "container-0-request-1=3 container-2-request-1=2 a:container-2-request-1 "
            "i:container-2-request-1 j:container-2-request-1 i:container-0-request-1 "
            "j:container-0-request-1 ");
}

}  // namespace
}  // namespace coppice::engine
