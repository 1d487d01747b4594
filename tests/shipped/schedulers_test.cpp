// What a user applies, for every scheduler: the manifests of each form with the rights in them,
// then the examples. On clusters that have the kinds of all other schedulers, of none, and of those
// that come later; and with rights that are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "installation_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::packaging {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kForeign = {"volcano", "koordinator", "scheduler-plugins"};

// By the file in examples/ → the backend that its gangs are for.
const std::map<std::string, std::string> kExamples = {{"kai", "kai"},
                                                      {"default", "default"},
                                                      {"samples/one_node_aggregated", "default"},
                                                      {"samples/start_diamond", "default"},
                                                      {"podgang", "podgang"},
                                                      {"yunikorn", "yunikorn"},
                                                      {"koordinator", "koordinator"},
                                                      {"volcano", "volcano"},
                                                      {"scheduler-plugins", "scheduler-plugins"}};

class Shipped : public ::testing::Test {
 protected:
  explicit Shipped(const std::string& kubernetes = "1.35") : there_(kubernetes) {}

  // Everything is applied; what has to do with sets runs.
  void Install(const std::string& form) {
    const std::vector<Value> manifests = ReadDocuments("deploy/manifests/" + form + ".yaml");
    ASSERT_FALSE(manifests.empty());
    for (const Value& object : manifests) ASSERT_NO_FATAL_FAILURE(there_.Apply(object));
    for (const Value& object : manifests) {
      const std::string name(kube::Name(object));
      const bool wanted = name == "coppice-operator" || name == "coppice-all" ||
                          name.starts_with("coppice-backend-");
      if (object["kind"].AsString() == "Deployment" && wanted) there_.Run(object);
    }
    ASSERT_FALSE(there_.RunningDeployments().empty());
  }

  void AddKindsOf(const std::string& scheduler) {
    for (const Value& crd : test_crds::Of(scheduler)) ASSERT_NO_FATAL_FAILURE(there_.Apply(crd));
    if (scheduler != "volcano") return;
    const api::Resource queues{"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false};
    EXPECT_TRUE(there_.Wait([&] {
      return there_.admin().Create(queues, kube::NewObject(queues, "", "default")).ok();
    }));
    const Value open = *json::ParseYaml("{status: {state: Open}}");
    EXPECT_TRUE(there_.admin().Patch(queues, {"", "default"}, kube::PatchType::kMerge, open,
                                     {.subresource = "status"}));
  }

  // A set that is not there yet, as a user would apply the file.
  void ApplyExample(const std::string& file) {
    for (const Value& object : ReadDocuments("examples/" + file + ".yaml")) {
      ASSERT_NO_FATAL_FAILURE(there_.Apply(object));
      sets_[file] = std::string(kube::Name(object));
    }
  }
  void ApplyExamples() {
    for (const auto& [file, backend] : kExamples) ASSERT_NO_FATAL_FAILURE(ApplyExample(file));
  }

  std::vector<Value> Of(const api::Resource& resource, const std::string& file) {
    return there_.admin()
        .List(resource,
              {.ns = "default", .label_selector = "app.kubernetes.io/part-of=" + sets_[file]})
        ->items;
  }

  // "True Synced", "False BackendUnavailable: …": of the set's first gang.
  std::string SyncedOf(const std::string& file) {
    const std::vector<Value> gangs = Of(api::kPodGangs, file);
    if (gangs.empty()) return "no gang";
    const Value& synced = kube::Condition(gangs.front(), "BackendSynced");
    return fmt::format("{} {}: {}", synced["status"].AsString(), synced["reason"].AsString(),
                       synced["message"].AsString());
  }

  bool IsHandedOver(const std::string& file) {
    if (!SyncedOf(file).starts_with("True ")) return false;
    for (const Value& pod : Of(api::kPods, file)) {
      if (pod["spec"]["schedulingGates"].empty()) return true;
    }
    return false;
  }

  void ExpectHandedOver(const std::string& file) {
    EXPECT_TRUE(there_.Wait([&] { return IsHandedOver(file); }))
        << file << ": " << SyncedOf(file) << "\n"
        << Logs();
    const std::vector<Value> gangs = Of(api::kPodGangs, file);
    ASSERT_FALSE(gangs.empty()) << file;
    EXPECT_EQ(kube::Label(gangs.front(), "grove.io/scheduler-backend"), kExamples.at(file));
  }

  // The gang is there, and says why its scheduler has not got it.
  void ExpectHeld(const std::string& file, const std::string& why) {
    EXPECT_TRUE(there_.Wait([&] {
      const std::string synced = SyncedOf(file);
      return synced.starts_with("False BackendUnavailable") &&
             synced.find(why) != std::string::npos;
    })) << file
        << ": " << SyncedOf(file) << "\n"
        << Logs();
  }

  void ExpectReady() {
    for (const std::string& name : there_.RunningDeployments()) {
      EXPECT_TRUE(there_.Wait([&] { return there_.Ask(name, "/readyz").first == 200; }))
          << name << ": " << there_.Ask(name, "/readyz").second;
    }
  }

  std::string Logs() {
    std::string logs;
    for (const std::string& name : there_.RunningDeployments()) {
      logs += name + ":\n" + there_.LogOf(name);
    }
    return logs.substr(logs.size() - std::min<size_t>(logs.size(), 8000));
  }

  std::string NothingForbidden() {
    std::string text;
    for (const auto& [account, deeds] : there_.Forbidden()) {
      for (const std::string& deed : deeds) text += account + ": " + deed + "\n";
    }
    return text;
  }

  Installation there_;
  std::map<std::string, std::string> sets_;  // By file.
};

struct Form {
  std::string manifest;
  std::string kubernetes;

  friend void PrintTo(const Form& form, std::ostream* out) {
    *out << form.manifest << " on " << form.kubernetes;
  }
};

class EveryKind : public Shipped, public ::testing::WithParamInterface<Form> {
 protected:
  EveryKind() : Shipped(GetParam().kubernetes) {}
};

// With the kinds of every scheduler there before anything starts.
TEST_P(EveryKind, EverySchedulerGetsItsGangs) {
  for (const std::string& scheduler : kForeign) ASSERT_NO_FATAL_FAILURE(AddKindsOf(scheduler));
  ASSERT_NO_FATAL_FAILURE(Install(GetParam().manifest));
  ExpectReady();
  ASSERT_NO_FATAL_FAILURE(ApplyExamples());
  for (const auto& [file, backend] : kExamples) ExpectHandedOver(file);
  EXPECT_EQ(NothingForbidden(), "");
  ExpectReady();
}

INSTANTIATE_TEST_SUITE_P(Forms, EveryKind,
                         ::testing::Values(Form{"separate", "1.37"}, Form{"one", "1.35"},
                                           Form{"platform", "1.36"},
                                           Form{"separate-backends", "1.35"}),
                         [](const auto& form) {
                           std::string name = form.param.manifest;
                           std::erase(name, '-');
                           return name;
                         });

// Without any of them; then they come one after the other, and nobody is restarted.
TEST_F(Shipped, SchedulersThatComeLaterAreTakenUp) {
  ASSERT_NO_FATAL_FAILURE(Install("separate"));
  ExpectReady();
  ASSERT_NO_FATAL_FAILURE(ApplyExamples());
  for (const char* file : {"kai", "default", "podgang", "yunikorn"}) ExpectHandedOver(file);
  for (const char* file : {"volcano", "scheduler-plugins"}) ExpectHeld(file, "not serve");
  EXPECT_THAT(there_.Ask("coppice-operator", "/metrics").second,
              testing::AllOf(HasSubstr("coppice_backend_available{backend=\"kai\"} 1"),
                             HasSubstr("coppice_backend_available{backend=\"volcano\"} 0")));
  for (const std::string& scheduler : kForeign) {
    ASSERT_NO_FATAL_FAILURE(AddKindsOf(scheduler));
    ExpectHandedOver(scheduler);
    ExpectReady();
  }
  EXPECT_THAT(there_.Ask("coppice-operator", "/metrics").second,
              HasSubstr("coppice_backend_available{backend=\"volcano\"} 1"));
  EXPECT_EQ(NothingForbidden(), "");
}

// Rights to the kinds of one scheduler are missing from the start, and come later.
TEST_F(Shipped, ABackendWithoutRightsStopsNobodyElse) {
  for (const std::string& scheduler : kForeign) ASSERT_NO_FATAL_FAILURE(AddKindsOf(scheduler));
  const api::Resource roles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                            false};
  std::vector<Value> manifests = ReadDocuments("deploy/manifests/separate.yaml");
  Value whole;
  for (Value& object : manifests) {
    if (kube::Name(object) != "coppice-operator-backends" || kube::Kind(object) != "ClusterRole") {
      continue;
    }
    whole = object;
    Value rules = Value::Array();
    for (const Value& rule : object["rules"].Items()) {
      if (!rule["apiGroups"].At(0).AsString().ends_with("volcano.sh")) rules.Append(rule);
    }
    ASSERT_LT(rules.size(), object["rules"].size());
    object.Set("rules", std::move(rules));
    there_.Apply(object);
  }
  ASSERT_FALSE(whole.IsNull());
  ASSERT_NO_FATAL_FAILURE(Install("separate"));  // What is there already stays.
  ExpectReady();
  ASSERT_NO_FATAL_FAILURE(ApplyExamples());
  ExpectHeld("volcano", "is forbidden: User");
  for (const auto& [file, backend] : kExamples) {
    if (file != "volcano") ExpectHandedOver(file);
  }
  ExpectReady();
  const auto doctor = there_.Doctor();
  EXPECT_THAT(doctor, HasSubstr("is forbidden"));
  ASSERT_TRUE(there_.admin().Patch(roles, {"", "coppice-operator-backends"},
                                   kube::PatchType::kMerge,
                                   Value::Object({{"rules", whole["rules"]}})));
  ExpectHandedOver("volcano");
  EXPECT_THAT(there_.Doctor(), Not(HasSubstr("is forbidden")));
}

// A set of a scheduler that nobody knows is refused where webhooks are; one whose backend is
// switched off keeps its gang.
TEST_F(Shipped, AnUnknownSchedulerIsRefusedByName) {
  ASSERT_NO_FATAL_FAILURE(Install("separate"));
  ExpectReady();
  Value set = ReadDocuments("examples/kai.yaml").at(0);
  for (Value& clique : set.Mutable("spec").Mutable("template").Mutable("cliques").MutableItems()) {
    clique.Mutable("spec").Mutable("podSpec").Set("schedulerName", "nobody");
  }
  std::string refusal;
  EXPECT_TRUE(there_.Wait([&] {
    const auto created = there_.admin().Create(api::kPodCliqueSets, set, {.dry_run = true});
    refusal = created ? "" : created.error().message();
    return refusal.find("denied the request") != std::string::npos;
  }));
  EXPECT_THAT(refusal, HasSubstr("no enabled scheduler backend serves schedulerName \"nobody\""));
}

}  // namespace
}  // namespace coppice::packaging
