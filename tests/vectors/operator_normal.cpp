#include "tests/vectors/operator_normal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>

#include "json/write.h"
#include "kube/object.h"
#include "tests/vectors/services_compare.h"

namespace coppice::vectors {
namespace {

// Metadata that differs from run to run, or that nobody compares.
const std::set<std::string, std::less<>> kVolatileMetadata = {
    "uid",           "resourceVersion", "generation",        "creationTimestamp",
    "managedFields", "namespace",       "deletionTimestamp", "deletionGracePeriodSeconds",
    "generateName",  "selfLink"};

// Fields of a pod that Kubernetes itself fills in.
const std::set<std::string, std::less<>> kDefaultedPodFields = {
    "dnsPolicy",        "enableServiceLinks", "nodeName",
    "preemptionPolicy", "priority",           "restartPolicy",
    "securityContext",  "serviceAccount",     "terminationGracePeriodSeconds"};
const std::set<std::string, std::less<>> kDefaultedContainerFields = {
    "imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"};
const std::set<std::string, std::less<>> kDefaultedServiceFields = {
    "clusterIPs", "internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy", "sessionAffinity"};

constexpr std::string_view kHashCharacters = "0123456789abcdefghijklmnopqrstuvwxyz";

void EraseAll(json::Value& object, const std::set<std::string, std::less<>>& members) {
  for (const std::string& member : members) object.Erase(member);
}

bool IsTime(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text.back() == 'Z';
}

void NormaliseMetadata(json::Value& metadata) {
  EraseAll(metadata, kVolatileMetadata);
  if (json::Value* references = metadata.FindMutable("ownerReferences")) {
    for (json::Value& reference : references->MutableItems()) {
      reference.Erase("uid");
      reference.Erase("apiVersion");
    }
  }
}

// Requests follow limits, as Kubernetes defaults them.
void FillRequests(json::Value& container) {
  const json::Value limits = container["resources"]["limits"];
  for (const json::Member& limit : limits.Members()) {
    container.Mutable("resources").Mutable("requests").SetDefault(limit.name(), limit.value);
  }
}

// Kubernetes' own kinds never show empty lists.
void DropEmptyLists(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) DropEmptyLists(item);
    return;
  }
  if (!value.IsObject()) return;
  std::erase_if(value.MutableMembers(), [](const json::Member& member) {
    return member.value.IsArray() && member.value.empty();
  });
  for (json::Member& member : value.MutableMembers()) DropEmptyLists(member.value);
}

// Kubernetes' own defaults that recordings kept.
void FillFieldReferences(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) FillFieldReferences(item);
    return;
  }
  if (!value.IsObject()) return;
  for (json::Member& member : value.MutableMembers()) {
    if (member.name() == "fieldRef") member.value.SetDefault("apiVersion", "v1");
    FillFieldReferences(member.value);
  }
}

void NormalisePodSpec(json::Value& spec) {
  DropEmptyLists(spec);
  FillFieldReferences(spec);
  EraseAll(spec, kDefaultedPodFields);
  if (spec["serviceAccountName"].AsString() == "default") spec.Erase("serviceAccountName");
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = spec.FindMutable(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->MutableItems()) {
      EraseAll(container, kDefaultedContainerFields);
      FillRequests(container);
      if (container["resources"].empty()) container.Erase("resources");
    }
  }
  if (json::Value* tolerations = spec.FindMutable("tolerations")) {
    std::erase_if(tolerations->MutableItems(), [](const json::Value& toleration) {
      return toleration["key"].AsString().starts_with("node.kubernetes.io/");
    });
    if (tolerations->empty()) spec.Erase("tolerations");
  }
}

// Times are left out, but for those whose presence matters.
void NormaliseTimes(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) NormaliseTimes(item);
    return;
  }
  if (!value.IsObject()) return;
  for (const std::string_view gone :
       {"lastTransitionTime", "updateStartedAt", "observedAt", "observedGeneration"}) {
    value.Erase(gone);
  }
  for (json::Member& member : value.MutableMembers()) {
    if (member.value.IsString() && IsTime(member.value.AsString())) member.value = "<time>";
    NormaliseTimes(member.value);
  }
}

// Of a gang's status only the condition that upstream writes as well is compared.
void NormaliseGangStatus(json::Value& status) {
  std::vector<json::Value> kept;
  for (const json::Value& condition : status["conditions"].Items()) {
    if (condition["type"].AsString() == "Initialized") kept.push_back(condition);
  }
  status = json::Value::Object({{"conditions", json::Value::Array(std::move(kept))}});
}

void SortReferences(json::Value& gang) {
  json::Value* spec = gang.FindMutable("spec");
  json::Value* groups = spec == nullptr ? nullptr : spec->FindMutable("podgroups");
  if (groups == nullptr) return;
  for (json::Value& group : groups->MutableItems()) {
    auto& references = group.Mutable("podReferences").MutableItems();
    std::sort(references.begin(), references.end(), [](const json::Value& a, const json::Value& b) {
      return a["name"].AsString() < b["name"].AsString();
    });
  }
}

}  // namespace

std::string Normaliser::KeyOf(const json::Value& object) const {
  const std::string kind(kube::Kind(object));
  if (kind == "Pod") return "Pod/pod:" + object["spec"]["hostname"].ToString();
  if (kind != "PodGroup") return kind + "/" + std::string(kube::Name(object));
  const std::string version = object["apiVersion"].ToString();
  return fmt::format("PodGroup.{}/{}", version.substr(0, version.find('/')), kube::Name(object));
}

void Normaliser::Learn(const std::vector<json::Value>& objects) {
  for (const json::Value& object : objects) {
    if (kube::Kind(object) != "Pod") continue;
    pod_names_[std::string(kube::Name(object))] = "pod:" + object["spec"]["hostname"].ToString();
  }
}

json::Value Normaliser::Replace(const json::Value& value) const {
  if (value.IsString()) {
    const std::string_view text = value.AsString();
    if (const auto pod = pod_names_.find(text); pod != pod_names_.end()) return pod->second;
    if (text == ns_) return "NS";
    const std::string service = fmt::format(".{}.svc.cluster.local", ns_);
    if (text.ends_with(service)) {
      return fmt::format("{}.NS.svc.cluster.local", text.substr(0, text.size() - service.size()));
    }
    return value;
  }
  if (value.IsArray()) {
    json::Value list = json::Value::Array();
    for (const json::Value& item : value.Items()) list.Append(Replace(item));
    return list;
  }
  if (!value.IsObject()) return value;
  json::Value object = json::Value::Object();
  for (const json::Member& member : value.Members()) {
    object.Set(member.name(), Replace(member.value));
  }
  return object;
}

json::Value Normaliser::Normalise(const json::Value& object) const {
  const std::string kind(kube::Kind(object));
  json::Value normal = Replace(object);
  normal.Erase("apiVersion");
  normal.Erase("kind");
  NormaliseMetadata(normal.Mutable("metadata"));
  if (kind == "Pod") {
    normal.Erase("status");
    NormalisePodSpec(normal.Mutable("spec"));
  }
  if (kind == "Secret") normal.Erase("data");
  if (kind == "Service" || kind == "HorizontalPodAutoscaler") normal.Erase("status");
  if (kind == "PodGroup") normal.Erase("status");
  if (kind == "Service") EraseAll(normal.Mutable("spec"), kDefaultedServiceFields);
  if (kind == "PodGang") {
    NormaliseGangStatus(normal.Mutable("status"));
    SortReferences(normal);
  }
  NormaliseTimes(normal);
  return normal;
}

namespace {

// Names may hold slashes, so the path is matched against the members that are there.
void EraseAt(std::string_view path, json::Value& value) {
  if (value.IsArray()) {
    const size_t slash = path.find('/');
    const size_t index = std::stoul(std::string(path.substr(0, slash)));
    if (slash == std::string_view::npos || index >= value.size()) return;
    EraseAt(path.substr(slash + 1), value.MutableItems()[index]);
    return;
  }
  if (!value.IsObject()) return;
  std::erase_if(value.MutableMembers(),
                [&](const json::Member& member) { return member.name() == path; });
  for (json::Member& member : value.MutableMembers()) {
    const std::string below = std::string(member.name()) + "/";
    if (path.starts_with(below)) EraseAt(path.substr(below.size()), member.value);
  }
}

}  // namespace

void LeaveOut(const json::Value& varies, std::map<std::string, json::Value>& state) {
  for (const json::Value& item : varies.Items()) {
    const std::string path = item.ToString();
    std::erase_if(state, [&](const auto& object) { return "/" + object.first == path; });
    for (auto& [key, object] : state) {
      const std::string below = "/" + key + "/";
      if (path.starts_with(below)) EraseAt(std::string_view(path).substr(below.size()), object);
    }
  }
}

bool StateComparison::SameHash(const std::string& recorded, const std::string& actual) {
  const auto forward = to_actual_.emplace(recorded, actual).first;
  const auto backward = to_recorded_.emplace(actual, recorded).first;
  return forward->second == actual && backward->second == recorded;
}

// Masks may be a part of a text, as in the name of a ReplicaSet.
bool StateComparison::SameText(const std::string& recorded, const std::string& actual) {
  static const std::regex mask(R"(hash-\d+)");
  std::string_view rest = actual;
  size_t end = 0;
  for (std::sregex_iterator at(recorded.begin(), recorded.end(), mask), last; at != last; ++at) {
    const std::string before = recorded.substr(end, at->position() - end);
    if (!rest.starts_with(before)) return false;
    rest.remove_prefix(before.size());
    const std::string_view hash = rest.substr(0, rest.find_first_not_of(kHashCharacters));
    if (hash.empty() || !SameHash(at->str(), std::string(hash))) return false;
    rest.remove_prefix(hash.size());
    end = at->position() + at->length();
  }
  return rest == recorded.substr(end);
}

namespace {

constexpr std::string_view kOfGone = " of a replica that is gone";

// Upstream keeps the headless Services of replicas that were scaled in.
bool IsLeftBehind(const json::Value& state, const json::Member& object) {
  if (!object.name().starts_with("Service/")) return false;
  const std::string set =
      fmt::format("PodCliqueSet/{}", kube::Label(object.value, "app.kubernetes.io/part-of"));
  const std::string_view text = kube::Label(object.value, "grove.io/podcliqueset-replica-index");
  int64_t replica = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), replica);
  return error == std::errc() && state.Has(set) &&
         replica >= state[set]["spec"]["replicas"].AsInt();
}

}  // namespace

void StateComparison::CompareValue(const std::string& path, const json::Value& recorded,
                                   const json::Value& actual,
                                   std::vector<std::string>& differences) {
  if (recorded.IsString() && actual.IsString() &&
      recorded.AsString().find("hash-") != std::string_view::npos) {
    if (!SameText(recorded.ToString(), actual.ToString())) {
      differences.push_back(fmt::format("{}: expected {}, got {}, which is or has another hash",
                                        path, recorded.AsString(), actual.AsString()));
    }
    return;
  }
  if (recorded.IsObject() && actual.IsObject()) {
    std::set<std::string> names;
    for (const json::Value* side : {&recorded, &actual}) {
      for (const json::Member& member : side->Members()) names.emplace(member.name());
    }
    for (const std::string& name : names) {
      CompareValue(path + "." + name, recorded[name], actual[name], differences);
    }
    return;
  }
  if (recorded.IsArray() && actual.IsArray() && recorded.size() == actual.size()) {
    for (size_t i = 0; i < recorded.size(); ++i) {
      CompareValue(fmt::format("{}[{}]", path, i), recorded.At(i), actual.At(i), differences);
    }
    return;
  }
  if (recorded == actual) return;
  if (SaysNothing(recorded) && SaysNothing(actual)) return;
  differences.push_back(
      fmt::format("{}: expected {}, got {}", path, json::Write(recorded), json::Write(actual)));
}

std::vector<std::string> StateComparison::Compare(
    const json::Value& recorded, const std::map<std::string, json::Value>& actual) {
  std::vector<std::string> differences;
  for (const json::Member& member : recorded.Members()) {
    const auto found = actual.find(std::string(member.name()));
    if (found == actual.end()) {
      differences.push_back(fmt::format("{}{}: expected it, got nothing", member.name(),
                                        IsLeftBehind(recorded, member) ? kOfGone : ""));
      continue;
    }
    json::Value expected = member.value;
    if (member.name().starts_with("PodGang/")) NormaliseGangStatus(expected.Mutable("status"));
    CompareValue(std::string(member.name()), expected, found->second, differences);
  }
  for (const auto& [key, object] : actual) {
    if (!recorded.Has(key)) differences.push_back(fmt::format("{}: expected nothing, got it", key));
  }
  return differences;
}

}  // namespace coppice::vectors
