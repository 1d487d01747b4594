// docs/metrics.md lists what the product exports, and alerts ask only for what is listed.
#include "kube/metrics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/stepper.h"
#include "sim/shorthand.h"
#include "sim/stack.h"
#include "source_dir.h"

namespace coppice {
namespace {

using Names = std::set<std::string>;
namespace fs = std::filesystem;

std::string ReadSource(const std::string& path) {
  std::ifstream file(COPPICE_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Names Matches(const std::string& text, const std::string& pattern) {
  Names names;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

Names Documented() { return Matches(ReadSource("docs/metrics.md"), "\\| `([a-z_0-9]+)` \\|"); }

Names Missing(const Names& wanted, const Names& have) {
  Names missing;
  for (const std::string& name : wanted) {
    if (!have.contains(name)) missing.insert(name);
  }
  return missing;
}

TEST(MetricsPage, ListsWhatIsExported) {
  kube::Stepper stepper;
  sim::StackOptions options;
  options.shape.pools = {{.count = 1, .gpus = 4}};
  options.components = *sim::ParseComponents("all");
  const auto stack = *sim::Stack::Make(stepper, std::move(options));
  ASSERT_TRUE(stack->Start());
  const auto objects = *sim::ExpandObjects(*json::ParseYaml(
      "{queues: [{name: top}, {name: a, parent: top, gpus: 4}, {name: b, parent: top, gpus: 0}], "
      "pods: [{name: lent, count: 4, gpus: 1, queue: b}]}"));
  for (const json::Value& object : objects) {
    const auto resource = api::FindResource(object["kind"].AsString(), "");
    ASSERT_TRUE(stack->client().Create(*resource, object));
  }
  stepper.RunFor(std::chrono::seconds(10));
  const auto back = *sim::ExpandObjects(*json::ParseYaml("{pods: [{name: p, gpus: 4, queue: a}]}"));
  ASSERT_TRUE(stack->client().Create(api::kPods, back[0]));
  stepper.RunFor(std::chrono::seconds(30));
  const Names exported = Matches(stack->manager().runtime().metrics.Text(), "# TYPE ([a-z_0-9]+) ");
  EXPECT_GT(exported.size(), 25u);
  EXPECT_EQ(Missing(exported, Documented()), Names());
}

// Metrics that this process does not export right now are at least known to the sources.
TEST(MetricsPage, ListsNothingElse) {
  std::string sources;
  for (const auto& entry : fs::recursive_directory_iterator(COPPICE_SOURCE_DIR "/src")) {
    if (entry.path().extension() == ".cpp") {
      sources += ReadSource(fs::relative(entry.path(), COPPICE_SOURCE_DIR).string());
    }
  }
  for (const std::string& name : Documented()) {
    const std::string known = name.starts_with("kai_") ? name.substr(4) : name;
    EXPECT_NE(sources.find("\"" + known + "\""), std::string::npos) << name;
  }
}

TEST(Alerts, AskForListedMetrics) {
  const Names documented = Documented();
  const json::Value rules = *json::ParseYaml(ReadSource("deploy/alerts.yaml"));
  for (const json::Value& rule : rules["spec"]["groups"].At(0)["rules"].Items()) {
    const Names asked =
        Matches(rule["expr"].ToString(),
                "((?:kai|coppice|workqueue|controller_runtime|rest_client|leader)_[a-z_0-9]+?)"
                "(?:_bucket)?(?![a-z_0-9])");
    EXPECT_FALSE(asked.empty()) << rule["alert"].AsString();
    EXPECT_EQ(Missing(asked, documented), Names()) << rule["alert"].AsString();
  }
}

}  // namespace
}  // namespace coppice
