// docs/metrics.md lists what the product exports, and alerts and dashboards ask only for what is
// listed.
#include "kube/metrics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "api/well_known.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "scenario/shorthand.h"
#include "source_dir.h"
#include "source_testing.h"
#include "stack/stack.h"

namespace coppice {
namespace {

using Names = std::set<std::string>;
namespace fs = std::filesystem;

Names Matches(const std::string& text, const std::string& pattern) {
  Names names;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

// Kind and labels of a metric: "counter action result".
using Shapes = std::map<std::string, std::string>;

std::string Shape(const std::string& kind, const Names& labels) {
  std::string shape = kind;
  for (const std::string& label : labels) shape += " " + label;
  return shape;
}

Shapes DocumentedShapes() {
  Shapes shapes;
  const std::string page = ReadSource("docs/metrics.md");
  const std::regex row("\\| `([a-z_0-9]+)` \\| ([a-z]+) \\|([^|]*)\\|");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    shapes[(*it)[1]] = Shape((*it)[2], Matches((*it)[3], "`([A-Za-z_]+)`"));
  }
  return shapes;
}

Names Documented() {
  Names names;
  for (const auto& [name, shape] : DocumentedShapes()) names.insert(name);
  return names;
}

// As they stand in Prometheus' text; of a histogram without what tells its buckets apart.
Shapes ExportedShapes(const std::string& text) {
  Shapes shapes;
  const std::regex type("# TYPE ([a-z_0-9]+) ([a-z]+)\n([a-z_0-9]+)(\\{[^\n]*\\})?");
  for (std::sregex_iterator it(text.begin(), text.end(), type), end; it != end; ++it) {
    Names labels = Matches((*it)[4], "([A-Za-z_]+)=\"");
    labels.erase("le");
    shapes[(*it)[1]] = Shape((*it)[2], labels);
  }
  return shapes;
}

Names Missing(const Names& wanted, const Names& have) {
  Names missing;
  for (const std::string& name : wanted) {
    if (!have.contains(name)) missing.insert(name);
  }
  return missing;
}

TEST(MetricsPage, ListsWhatIsExported) {
  kube::Stepper stepper;
  stack::StackOptions options;
  options.shape.pools = {{.count = 1, .gpus = 4}};
  options.components = *stack::ParseComponents("all");
  const auto stack = *stack::Stack::Make(stepper, std::move(options));
  ASSERT_TRUE(stack->Start());
  const auto objects = *scenario::ExpandObjects(*json::ParseYaml(
      "{queues: [{name: top}, {name: a, parent: top, gpus: 4}, {name: b, parent: top, gpus: 0}], "
      "pods: [{name: lent, count: 4, gpus: 1, queue: b}]}"));
  for (const json::Value& object : objects) {
    const auto resource = api::FindResource(object["kind"].AsString(), "");
    ASSERT_TRUE(stack->client().Create(*resource, object));
  }
  stepper.RunFor(std::chrono::seconds(10));
  const auto back =
      *scenario::ExpandObjects(*json::ParseYaml("{pods: [{name: p, gpus: 4, queue: a}]}"));
  ASSERT_TRUE(stack->client().Create(api::kPods, back[0]));
  stepper.RunFor(std::chrono::seconds(30));
  const Shapes exported = ExportedShapes(stack->manager().runtime().metrics.Text());
  EXPECT_GT(exported.size(), 35u);
  Shapes documented = DocumentedShapes();
  for (const auto& [name, shape] : exported) EXPECT_EQ(documented[name], shape) << name;
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
    EXPECT_TRUE(sources.find("\"" + known + "\"") != std::string::npos ||
                sources.find("# TYPE " + name + " ") != std::string::npos)
        << name;
  }
}

// What a query in Prometheus' language asks for.
struct Query {
  explicit Query(const std::string& expression) {
    labels = Matches(expression, "[{,] *([a-z_]+) *(?:=|!=)");
    for (const std::string& list : Matches(expression, "by \\(([a-z_, ]*)\\)")) {
      labels.merge(Matches(list, "([a-z_]+)"));
    }
    labels.erase("le");
    const std::regex not_names("\"[^\"]*\"|\\{[^}]*\\}|\\[[^\\]]*\\]|by \\([^)]*\\)");
    const std::string rest = std::regex_replace(expression, not_names, " ");
    metrics =
        Matches(rest, "\\b([a-z][a-z_0-9]*?)(?:_bucket|_sum|_count)?\\b(?! *\\()(?![a-z_0-9])");
    for (const char* word : {"and", "or", "unless"}) metrics.erase(word);
    // A counter of its own, though its name ends as a histogram's sum.
    if (metrics.erase("apiserver_request_duration_seconds") > 0) {
      metrics.insert("apiserver_request_duration_seconds_sum");
    }
  }

  Names metrics, labels;
};

void ExpectListed(const std::string& where, const Query& query) {
  Shapes documented = DocumentedShapes();
  EXPECT_FALSE(query.metrics.empty()) << where;
  for (const std::string& name : query.metrics) {
    ASSERT_TRUE(documented.contains(name)) << where << ": " << name;
    const Names has = Matches(documented[name] + " ", " ([A-Za-z_]+)(?= )");
    EXPECT_EQ(Missing(query.labels, has), Names()) << where << ": " << name;
  }
}

TEST(Alerts, AskForListedMetricsAndLabels) {
  const json::Value rules = *json::ParseYaml(ReadSource("deploy/alerts.yaml"));
  for (const json::Value& rule : rules["spec"]["groups"].At(0)["rules"].Items()) {
    Query query(rule["expr"].ToString());
    query.labels.merge(Matches(rule["annotations"]["summary"].ToString(), "\\$labels\\.([a-z_]+)"));
    ExpectListed(rule["alert"].ToString(), query);
  }
}

TEST(Dashboards, AskForListedMetricsAndLabels) {
  size_t panels = 0;
  for (const auto& file : fs::directory_iterator(COPPICE_SOURCE_DIR "/deploy/dashboards")) {
    const std::string name = file.path().filename();
    const auto dashboard = json::Parse(ReadSource("deploy/dashboards/" + name));
    ASSERT_TRUE(dashboard) << name << ": " << dashboard.error().message();
    for (const json::Value& panel : (*dashboard)["panels"].Items()) {
      ++panels;
      EXPECT_FALSE(panel["targets"].empty()) << name << ": " << panel["title"].ToString();
      for (const json::Value& target : panel["targets"].Items()) {
        const std::string where = name + ": " + panel["title"].ToString();
        Query query(target["expr"].ToString());
        query.labels.merge(Matches(target["legendFormat"].ToString(), "\\{\\{([a-z_]+)\\}\\}"));
        ASSERT_NO_FATAL_FAILURE(ExpectListed(where, query));
      }
    }
  }
  EXPECT_GT(panels, 30u);
}

// A quantile is never more than the largest bucket: an alert that asks for more never fires.
TEST(Alerts, AskForNoQuantileOfAHistogramWithUpstreamsSmallBuckets) {
  std::string queries = ReadSource("deploy/alerts.yaml");
  for (const auto& file : fs::directory_iterator(COPPICE_SOURCE_DIR "/deploy/dashboards")) {
    queries += ReadSource("deploy/dashboards/" + file.path().filename().string());
  }
  EXPECT_EQ(Matches(queries, "histogram_quantile.*(kai_task_[a-z_]+)_bucket"), Names());
}

}  // namespace
}  // namespace coppice
