#include "api/grove/convert.h"

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <map>
#include <utility>

namespace coppice::api::grove {
namespace {

template <typename T>
using MembersOf = boost::describe::describe_members<T, boost::describe::mod_public>;

std::string_view KeyOf(std::string_view member) {
  if (member.ends_with('_')) member.remove_suffix(1);
  return member;
}

void Read(const json::Value& value, json::Value& out) { out = value; }
void Read(const json::Value& value, std::string& out) { out = value.ToString(); }
void Read(const json::Value& value, bool& out) { out = value.AsBool(out); }
void Read(const json::Value& value, int32_t& out) { out = static_cast<int32_t>(value.AsInt(out)); }
void Read(const json::Value& value, int64_t& out) { out = value.AsInt(out); }
void Read(const json::Value& value, double& out) { out = value.AsDouble(out); }

template <typename T>
  requires boost::describe::has_describe_members<T>::value
void Read(const json::Value& value, T& out);
template <typename T>
void Read(const json::Value& value, std::optional<T>& out);
template <typename T>
void Read(const json::Value& value, std::vector<T>& out);
void Read(const json::Value& value, std::map<std::string, std::string>& out) {
  for (const json::Member& member : value.Members()) {
    out.emplace(member.name(), member.value.ToString());
  }
}

template <typename T>
void Read(const json::Value& value, std::optional<T>& out) {
  Read(value, out.emplace());
}

template <typename T>
void Read(const json::Value& value, std::vector<T>& out) {
  out.reserve(value.size());
  for (const json::Value& item : value.Items()) Read(item, out.emplace_back());
}

template <typename T>
  requires boost::describe::has_describe_members<T>::value
void Read(const json::Value& value, T& out) {
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
    const json::Value* found = value.Find(KeyOf(member.name));
    if (found != nullptr && !found->IsNull()) Read(*found, out.*member.pointer);
  });
}

// The document of a member, or null where there is nothing to write.
json::Value ToValue(const json::Value& value) { return value; }
json::Value ToValue(const std::string& text) {
  return text.empty() ? json::Value() : json::Value(text);
}
json::Value ToValue(bool value) { return value; }
json::Value ToValue(int32_t value) { return value; }
json::Value ToValue(int64_t value) { return value; }
json::Value ToValue(double value) { return value; }

template <typename T>
  requires boost::describe::has_describe_members<T>::value
json::Value ToValue(const T& object);
template <typename T>
json::Value ToValue(const std::vector<T>& items);

template <typename T>
json::Value ToValue(const std::optional<T>& value) {
  return value ? ToValue(*value) : json::Value();
}

template <typename T>
json::Value ToValue(const std::vector<T>& items) {
  if (items.empty()) return {};
  std::vector<json::Value> values;
  values.reserve(items.size());
  for (const T& item : items) values.push_back(ToValue(item));
  return json::Value::Array(std::move(values));
}

template <typename T>
  requires boost::describe::has_describe_members<T>::value
json::Value ToValue(const T& object) {
  json::Value out = json::Value::Object();
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
    json::Value value = ToValue(object.*member.pointer);
    if (!value.IsNull()) out.Set(KeyOf(member.name), std::move(value));
  });
  return out;
}

// Upstream leaves this count out where it is zero, and its schema has no default for it.
template <typename Status>
json::Value WithoutZeroReplicas(const Status& status) {
  json::Value out = ToValue(status);
  if (status.replicas == 0) out.Erase("replicas");
  return out;
}

template <typename T>
T ReadDocument(json::Value object) {
  T document;
  Read(object["spec"], document.spec);
  Read(object["status"], document.status);
  document.object = std::move(object);
  return document;
}

}  // namespace

PodCliqueSet ReadPodCliqueSet(json::Value object) {
  return ReadDocument<PodCliqueSet>(std::move(object));
}
PodClique ReadPodClique(json::Value object) { return ReadDocument<PodClique>(std::move(object)); }
PodCliqueScalingGroup ReadScalingGroup(json::Value object) {
  return ReadDocument<PodCliqueScalingGroup>(std::move(object));
}
ClusterTopologyBinding ReadClusterTopologyBinding(json::Value object) {
  return ReadDocument<ClusterTopologyBinding>(std::move(object));
}
PodGang ReadPodGang(json::Value object) { return ReadDocument<PodGang>(std::move(object)); }

json::Value Write(const PodCliqueSetStatus& status) { return WithoutZeroReplicas(status); }
json::Value Write(const PodCliqueSpec& spec) { return ToValue(spec); }
json::Value Write(const PodCliqueStatus& status) { return WithoutZeroReplicas(status); }
json::Value Write(const ScalingGroupSpec& spec) { return ToValue(spec); }
json::Value Write(const ScalingGroupStatus& status) { return WithoutZeroReplicas(status); }
json::Value Write(const ClusterTopologyBindingStatus& status) { return ToValue(status); }
json::Value Write(const PodGangStatus& status) { return ToValue(status); }

}  // namespace coppice::api::grove
