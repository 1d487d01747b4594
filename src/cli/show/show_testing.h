#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "server/api_server.h"

namespace coppice::cli {

// An API server with our kinds and nothing that acts, so that objects stay as they are put.
class ShowTest : public testing::Test {
 protected:
  ShowTest() {
    for (const json::Value& crd : api::grove::Crds()) EXPECT_TRUE(server_->InstallCrd(crd));
    for (const json::Value& crd : api::kai::Crds()) EXPECT_TRUE(server_->InstallCrd(crd));
  }

  // Creates the object and sets its status.
  void Put(const api::Resource& resource, const std::string& yaml) {
    const json::Value object = *json::ParseYaml(yaml);
    const auto created = client_->Create(resource, object);
    ASSERT_TRUE(created) << created.error().ToString();
    if (!object.Has("status")) return;
    const auto told = client_->Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge,
                                     json::Value::Object({{"status", object["status"]}}),
                                     {.subresource = "status"});
    ASSERT_TRUE(told) << told.error().ToString();
  }

  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_ =
      *server::ApiServer::Make({.clock = &stepper_.clock(), .seed = 1});
  std::unique_ptr<kube::Client> client_ = server_->NewClient(stepper_);
};

}  // namespace coppice::cli
