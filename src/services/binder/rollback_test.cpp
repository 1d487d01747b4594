#include <gmock/gmock.h>

#include "kube/client/intercepted_client.h"
#include "services/binder/binder.h"
#include "services/binder/fixture_testing.h"

// What is left when a bind is given up, and its undoing goes wrong too.
namespace coppice::services::binder {
namespace {

class CannotUndo final : public Plugin {
 public:
  explicit CannotUndo(std::string why) : why_(std::move(why)) {}
  base::Result<Progress> PreBind(const BindContext&) override { return Progress::Done(); }
  base::Status Rollback(const BindContext&) override { return base::Internal(why_); }

 private:
  const std::string why_;
};

// Refuses to change pods.
class KeepsPods final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.verb != kube::Verb::kPatch || call.resource != api::kPods) return {};
    return base::Internal("the label stays");
  }
};

class BinderRollback : public BinderFixture {
 protected:
  BindContext Context() {
    BindContext context;
    context.request = Doc("{metadata: {name: p, namespace: default}, spec: {podName: p, " +
                          std::string(kHalf) + "}}");
    context.pod = cluster.AddPod("p", "q", 0, "labels: {runai-gpu-group: g1}");
    return context;
  }
};

TEST_F(BinderRollback, UndoesAllAndSaysEverythingThatWentWrong) {
  KeepsPods client(cluster.client());
  const auto manager = kube::Manager::Make(client, cluster.stepper);
  std::vector<NamedPlugin> plugins;
  plugins.push_back({"first", std::make_unique<CannotUndo>("the volume stays")});
  plugins.push_back({"second", std::make_unique<CannotUndo>("the claim stays")});
  const Options options;
  Binder binder(manager->runtime(), options, std::move(plugins));
  manager->Start();
  cluster.Settle();
  const base::Status status = binder.Rollback(Context());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "the volume stays; the claim stays; the label stays");
  manager->Stop();
}

TEST_F(BinderRollback, TakesTheLabelsOfAllGroupsAway) {
  const auto manager = kube::Manager::Make(cluster.client(), cluster.stepper);
  const Options options;
  Binder binder(manager->runtime(), options, {});
  manager->Start();
  cluster.Settle();
  BindContext context = Context();
  ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", "p"}, kube::PatchType::kMerge,
                                     Doc("metadata: {labels: {runai-gpu-group/g2: g2}}")));
  const base::Status status = binder.Rollback(context);
  EXPECT_TRUE(status) << status.error().message();
  const json::Value pod = cluster.Get(api::kPods, "p");
  for (const json::Member& label : pod["metadata"]["labels"].Members()) {
    EXPECT_FALSE(label.name().starts_with("runai-gpu-group")) << label.name();
  }
  manager->Stop();
}

}  // namespace
}  // namespace coppice::services::binder
