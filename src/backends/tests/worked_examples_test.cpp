// What the example's gangs and pods become for each scheduler: compares the objects in
// worked_examples/ with those in a server with the scheduler's CRDs.
#include <gtest/gtest.h>

#include "backends/model/fields.h"
#include "backends/tests/example_testing.h"
#include "base/files.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::backends {
namespace {

using json::Value;

struct Target {
  std::string name;  // Also the name of the file in worked_examples/.
  std::string scheduler;
  std::vector<std::string> projects;
  std::string options;  // Of the profile.
  std::string kubernetes = "1.35";
};

const std::vector<Target>& Targets() {
  static const std::string kAffinity = "topology: {requiredGang: PodAffinity}";
  static const std::vector<Target> targets = {
      {"kubernetes135", "default-scheduler", {}, kAffinity},
      {"kubernetes136", "default-scheduler", {}, "", "1.36"},
      {"kubernetes137", "default-scheduler", {}, "", "1.37"},
      {"kai", "kai-scheduler", {"kai"}, ""},
      {"koordinator", "koord-scheduler", {"koordinator"}, ""},
      {"volcano", "volcano", {"volcano"}, ""},
      {"yunikorn", "yunikorn", {}, kAffinity},
      {"schedulerplugins",
       "scheduler-plugins-scheduler",
       {"scheduler-plugins"},
       kAffinity + ", scheduleTimeoutSeconds: 120"},
      {"kueue", "kai-scheduler", {"kai", "kueue"}, "admission: kueue"}};
  return targets;
}

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<Value> Documents(const std::string& text) {
  std::vector<Value> documents;
  for (const Value& document : YamlDocuments(text)) {
    if (kube::Kind(document) != "List") documents.push_back(document);
    for (const Value& item : document["items"].Items()) documents.push_back(item);
  }
  return documents;
}

api::Resource LiveResource(const Value& object) {
  const std::string api_version = object["apiVersion"].ToString();
  const size_t slash = api_version.find('/');
  std::string plural(kube::Kind(object));
  for (char& c : plural) c = static_cast<char>(std::tolower(c));
  plural = plural.ends_with('y') ? plural.substr(0, plural.size() - 1) + "ies" : plural + "s";
  return {slash == std::string::npos ? "" : api_version.substr(0, slash),
          slash == std::string::npos ? api_version : api_version.substr(slash + 1), plural,
          std::string(kube::Kind(object)), !kube::Namespace(object).empty()};
}

// JSON inside an annotation is compared as JSON.
void OpenTaskGroups(Value& pod) {
  const std::string key = "yunikorn.apache.org/task-groups";
  const std::string text(kube::Annotation(pod, key));
  if (text.empty()) return;
  pod.Mutable("metadata").Mutable("annotations").Set(key, *json::Parse(text));
}

class WorkedExample : public testing::TestWithParam<Target> {};

TEST_P(WorkedExample, IsWhatTheServerHolds) {
  const Target& target = GetParam();
  const auto file =
      base::ReadFile(COPPICE_SOURCE_DIR "/src/backends/worked_examples/" + target.name + ".yaml");
  ASSERT_TRUE(file) << file.error().message();
  std::string text = *file;
  std::vector<std::string> projects = {"grove"};
  projects.insert(projects.end(), target.projects.begin(), target.projects.end());
  World world({.kubernetes_version = target.kubernetes,
               .projects = projects,
               .config = "{scheduler: {profiles: [{name: " + target.scheduler + ", config: {" +
                         target.options + "}}]}}"});
  if (target.scheduler == "volcano") OpenQueue(world, "team-a");
  Example example(world, target.scheduler);
  ASSERT_TRUE(world.backends->SyncTopology(world.Get(api::kClusterTopologyBindings, "", "dc1")));
  world.RunFor(std::chrono::seconds(30));
  example.CreatePods();
  const Value scaled = example.CreateScaledGang();
  EXPECT_TRUE(example.Synced().starts_with("True")) << example.Synced();
  const std::string uids[] = {std::string(kube::Uid(example.Gang())),
                              std::string(kube::Uid(scaled))};
  text = ReplaceAll(text, "11111111-1111-4111-8111-111111111111", uids[0]);
  text = ReplaceAll(text, "22222222-2222-4222-8222-222222222222", uids[1]);
  text = ReplaceAll(text, "ai-llm-0-11111111", "ai-llm-0-" + uids[0].substr(0, 8));
  for (Value expected : Documents(text)) {
    const std::string name(kube::Name(expected));
    Value live = world.Get(LiveResource(expected), std::string(kube::Namespace(expected)), name);
    if (kube::Kind(expected) == "Pod") expected.Mutable("spec").Erase("containers");
    OpenTaskGroups(expected);
    OpenTaskGroups(live);
    std::string difference;
    EXPECT_TRUE(HasAll(live, expected, &difference))
        << kube::Kind(expected) << " " << name << " differs at " << difference << "\n"
        << json::Write(live);
  }
}

INSTANTIATE_TEST_SUITE_P(Scheduler, WorkedExample, testing::ValuesIn(Targets()),
                         [](const testing::TestParamInfo<Target>& each) {
                           return each.param.name;
                         });

}  // namespace
}  // namespace coppice::backends
