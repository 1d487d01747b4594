#include "cli/install_crds.h"

#include <gtest/gtest.h>

#include <map>

#include "api/well_known.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "server/api_server.h"

namespace coppice::cli {
namespace {

class CrdInstaller : public testing::Test {
 protected:
  std::map<std::string, std::string> Versions() {
    std::map<std::string, std::string> versions;
    const auto crds = client_->List(api::kCustomResourceDefinitions, {});
    for (const json::Value& crd : crds->items) {
      EXPECT_TRUE(kube::ConditionIs(crd, "Established", "True")) << kube::Name(crd);
      versions.emplace(kube::Name(crd), kube::ResourceVersion(crd));
    }
    return versions;
  }

  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_ =
      *server::ApiServer::Make({.clock = &stepper_.clock(), .seed = 1});
  std::unique_ptr<kube::Client> client_ = server_->NewClient(stepper_);
};

TEST_F(CrdInstaller, EstablishesEveryKindAndChangesNothingTheSecondTime) {
  ASSERT_TRUE(InstallCrds(*client_));
  const auto first = Versions();
  for (const char* name :
       {"podcliques.grove.io", "podcliquesets.grove.io", "podcliquescalinggroups.grove.io",
        "clustertopologybindings.grove.io", "podgangs.scheduler.grove.io"}) {
    EXPECT_TRUE(first.contains(name)) << name;
  }
  ASSERT_TRUE(InstallCrds(*client_));
  EXPECT_EQ(Versions(), first);
}

TEST_F(CrdInstaller, TakesThemInGrovesOrder) {
  std::vector<std::string> plurals;
  for (const json::Value& crd : CrdsOf()) {
    plurals.push_back(crd["spec"]["names"]["plural"].ToString());
  }
  plurals.resize(5);
  EXPECT_EQ(plurals,
            (std::vector<std::string>{"podcliques", "podcliquesets", "podcliquescalinggroups",
                                      "clustertopologybindings", "podgangs"}));
}

// An older version of a CRD by someone else is updated.
TEST_F(CrdInstaller, OverrulesWhatOthersWrote) {
  json::Value old = CrdsOf().front();
  old.Mutable("spec").Mutable("names").Set("shortNames", json::Value::Array({"old"}));
  ASSERT_TRUE(client_->Create(api::kCustomResourceDefinitions, old));
  ASSERT_TRUE(InstallCrds(*client_));
  const auto now = client_->Get(api::kCustomResourceDefinitions, kube::KeyOf(old));
  EXPECT_EQ((*now)["spec"]["names"]["shortNames"], CrdsOf().front()["spec"]["names"]["shortNames"]);
}

}  // namespace
}  // namespace coppice::cli
