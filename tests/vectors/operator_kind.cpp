#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "base/check.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/resources_testing.h"
#include "operator/tests/rig/world_testing.h"
#include "tests/vectors/kind.h"
#include "tests/vectors/operator_normal.h"
#include "tests/vectors/operator_setup.h"

// PodCliqueSets and what is done to them, step by step, on the embedded server with our operator
// and its backends in the place of the real ones.
namespace coppice::vectors {
namespace {

using operators::World;

const std::string kNamespace(World::kNamespace);
// In the recording, gang termination was given this long.
constexpr base::Duration kQuiet = std::chrono::seconds(30);

base::Status Do(World& world, const json::Value& step) {
  const std::string what = step["do"].ToString();
  if (what == "create") {
    COPPICE_TRY(world.TryCreate(step["object"]));
    return {};
  }
  if (what == "deletePod" || what == "ready" || what == "unready") {
    const json::Value pod = world.PodOf(step["pod"].ToString());
    if (pod.IsNull()) return base::NotFound("no pod " + step["pod"].ToString());
    if (what != "deletePod") {
      world.SetReady(step["pod"].ToString(), what == "ready");
      return {};
    }
    return world.client->Delete(api::kPods, kube::KeyOf(pod));
  }
  const std::string version = step["apiVersion"].ToString();
  const api::Resource resource =
      operators::ResourceOfKind(step["kind"].AsString(), version.substr(0, version.find('/')));
  const api::ObjectKey key{resource.namespaced ? kNamespace : "", step["name"].ToString()};
  if (what == "delete") return world.client->Delete(resource, key);
  if (what == "scale") {
    world.Scale(resource, key.name, static_cast<int>(step["replicas"].AsInt()));
    return {};
  }
  COPPICE_TRY(world.client->Patch(
      resource, key, step["patch"].IsArray() ? kube::PatchType::kJson : kube::PatchType::kMerge,
      step["patch"]));
  return {};
}

std::map<std::string, json::Value> ReadState(World& world) {
  std::vector<json::Value> objects;
  for (const api::Resource& resource : ComparedResources()) {
    kube::ListOptions options;
    options.ns = kNamespace;
    const auto list = world.client->List(resource, options);
    if (!list) continue;
    for (const json::Value& object : list->items) {
      if (!IsPartOfNamespace(object)) objects.push_back(object);
    }
  }
  Normaliser normaliser(kNamespace);
  normaliser.Learn(objects);
  std::map<std::string, json::Value> state;
  for (const json::Value& object : objects) {
    state.emplace(normaliser.KeyOf(object), normaliser.Normalise(object));
  }
  return state;
}

// What the server said, as cases write it: an object's JSON is "{…}".
std::string NormaliseError(std::string text) {
  static const std::regex object(R"(spec: Invalid value: \{.*\}: )");
  text = std::regex_replace(text, object, "spec: Invalid value: {…}: ");
  const std::string place = kNamespace + "/";
  for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + 1)) {
    text.replace(at, place.size(), "NS/");
  }
  return text;
}

// Fields and reasons of a refusal by the schema; messages differ in their details.
std::vector<std::string> FieldsOf(const std::string& text) {
  static const std::regex field(
      R"(([a-zA-Z<][^\s:,]*): (Required|Invalid|Duplicate|Forbidden|Unsupported|Not found|Too))");
  std::vector<std::string> fields;
  for (std::sregex_iterator at(text.begin(), text.end(), field), end; at != end; ++at) {
    fields.push_back((*at)[1].str() + ": " + (*at)[2].str());
  }
  return fields;
}

// Upstream takes the minimum of a clique of no replicas from before their default.
bool HasCliqueOfNone(const json::Value& set) {
  const auto cliques = set["spec"]["template"]["cliques"].Items();
  return std::any_of(cliques.begin(), cliques.end(), [](const json::Value& clique) {
    return clique["spec"]["replicas"].AsInt() == 0 && clique["spec"]["minAvailable"].IsNull();
  });
}

void CompareError(const json::Value& step, const std::string& actual,
                  std::vector<std::string>& differences) {
  const std::string recorded = step["error"].ToString();
  const std::string webhook = "denied the request: ";
  const size_t recorded_at = recorded.find(webhook);
  if (recorded_at == std::string::npos) {
    if (FieldsOf(recorded) == FieldsOf(actual) && !actual.empty()) return;
  } else {
    const size_t actual_at = actual.find(webhook);
    if (actual_at != std::string::npos &&
        recorded.substr(recorded_at) == actual.substr(actual_at)) {
      return;
    }
  }
  const bool none = actual.empty() && HasCliqueOfNone(step["object"]);
  differences.push_back(fmt::format("error{}: expected {}, got {}",
                                    none ? " about a clique of no replicas" : "", recorded,
                                    actual.empty() ? "success" : actual));
}

Outcome RunOperatorCase(const json::Value& given) {
  Outcome outcome;
  std::unique_ptr<World> world = MakeRecordedWorld();
  StateComparison comparison;
  size_t number = 0;
  for (const json::Value& step : given["steps"].Items()) {
    const base::Status done = Do(*world, step);
    const std::string error = done ? "" : NormaliseError(done.error().message());
    std::vector<std::string> differences;
    if (step.Has("error") || !done) {
      CompareError(step, error, differences);
    } else if (!world->Settle(kQuiet)) {
      differences.push_back("state: never comes to rest");
    }
    if (step.Has("state") && differences.empty()) {
      std::map<std::string, json::Value> state = ReadState(*world);
      LeaveOut(step["varies"], state);
      differences = comparison.Compare(step["state"], state);
    }
    for (std::string& difference : differences) {
      outcome.differences.push_back(fmt::format("steps[{}].{}", number, difference));
    }
    if (!outcome.differences.empty()) break;
    ++number;
  }
  return outcome;
}

const KindRegistration kOperator("operator", RunOperatorCase);

}  // namespace
}  // namespace coppice::vectors
