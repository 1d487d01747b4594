#include "services/scheduler/read/devices.h"

#include "json/parse.h"
#include "json/strings.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

std::vector<std::string> ReadCelSelectors(const json::Value& list) {
  std::vector<std::string> out;
  for (const json::Value& selector : list.Items()) {
    out.push_back(selector["cel"]["expression"].ToString());
  }
  return out;
}

std::optional<engine::DeviceAttribute> ReadAttribute(const json::Value& value) {
  if (const json::Value* v = value.Find("string")) return v->ToString();
  if (const json::Value* v = value.Find("int")) return v->AsInt();
  if (const json::Value* v = value.Find("bool")) return v->AsBool();
  if (const json::Value* v = value.Find("version")) return engine::DeviceVersion{v->ToString()};
  return std::nullopt;
}

std::map<std::string, base::Quantity> ReadCapacity(const json::Value& map) {
  std::map<std::string, base::Quantity> out;
  for (const json::Member& member : map.Members()) {
    // v1beta1 first wrote the quantity itself, later versions an object around it.
    const std::string_view text =
        member.value.IsObject() ? member.value["value"].AsString() : member.value.AsString();
    if (const auto quantity = base::Quantity::Parse(text)) out.emplace(member.name(), *quantity);
  }
  return out;
}

engine::DeviceSpec ReadDevice(const json::Value& device) {
  const json::Value& body = device.Has("basic") ? device["basic"] : device;
  engine::DeviceSpec out;
  out.name = device["name"].ToString();
  for (const json::Member& member : body["attributes"].Members()) {
    if (auto attribute = ReadAttribute(member.value))
      out.attributes.emplace(member.name(), *attribute);
  }
  out.capacity = ReadCapacity(body["capacity"]);
  out.taints = ReadTaints(body["taints"]);
  return out;
}

std::vector<engine::DeviceConfig> ReadConfig(const json::Value& list) {
  std::vector<engine::DeviceConfig> out;
  for (json::Value item : list.Items()) {
    engine::DeviceConfig config{item["source"].ToString(), json::ReadStrings(item["requests"]), ""};
    item.Erase("source");
    item.Erase("requests");
    config.configuration = json::Write(item);
    out.push_back(std::move(config));
  }
  return out;
}

json::Value WriteConfig(const engine::DeviceConfig& config) {
  json::Value out = json::Value::Object({{"source", config.source}});
  for (const std::string& request : config.requests) out.Mutable("requests").Append(request);
  if (const auto body = json::Parse(config.configuration)) {
    for (const json::Member& member : body->Members()) out.Set(member.name(), member.value);
  }
  return out;
}

engine::DeviceAllocationMode ReadMode(std::string_view mode) {
  if (mode.empty() || mode == "ExactCount") return engine::DeviceAllocationMode::kExactCount;
  if (mode == "All") return engine::DeviceAllocationMode::kAll;
  return engine::DeviceAllocationMode::kUnknown;
}

engine::DeviceRequestSpec ReadRequest(const json::Value& request) {
  const json::Value& body = request.Has("exactly") ? request["exactly"] : request;
  return {request["name"].ToString(),
          body["deviceClassName"].ToString(),
          ReadMode(body["allocationMode"].AsString()),
          body["count"].AsInt(1),
          ReadCelSelectors(body["selectors"]),
          ReadTolerations(body["tolerations"]),
          body["adminAccess"].AsBool()};
}

engine::DeviceConstraintSpec ReadDeviceConstraint(const json::Value& constraint) {
  engine::DeviceConstraintSpec out;
  for (const json::Value& name : constraint["requests"].Items())
    out.requests.push_back(name.ToString());
  out.match_attribute = constraint["matchAttribute"].ToString();
  return out;
}

std::string OwnerPodUid(const json::Value& object) {
  for (const json::Value& owner : object["metadata"]["ownerReferences"].Items()) {
    if (owner["kind"].AsString() == "Pod") return owner["uid"].ToString();
  }
  return "";
}

}  // namespace

engine::DeviceClassSpec ReadDeviceClass(const json::Value& device_class) {
  const json::Value& spec = device_class["spec"];
  return {std::string(kube::Name(device_class)), ReadCelSelectors(spec["selectors"]),
          spec["extendedResourceName"].ToString(), ReadConfig(spec["config"])};
}

engine::ResourceSliceSpec ReadResourceSlice(const json::Value& slice) {
  const json::Value& spec = slice["spec"];
  engine::ResourceSliceSpec out;
  out.name = kube::Name(slice);
  out.driver = spec["driver"].ToString();
  out.pool = spec["pool"]["name"].ToString();
  out.pool_generation = spec["pool"]["generation"].AsInt();
  out.pool_slice_count = spec["pool"]["resourceSliceCount"].AsInt(1);
  out.node_name = spec["nodeName"].ToString();
  out.all_nodes = spec["allNodes"].AsBool();
  if (spec.Has("nodeSelector")) out.node_selector = ReadNodeSelector(spec["nodeSelector"]);
  for (const json::Value& device : spec["devices"].Items())
    out.devices.push_back(ReadDevice(device));
  return out;
}

engine::ResourceClaimSpec ReadResourceClaim(const json::Value& claim) {
  engine::ResourceClaimSpec out;
  out.namespace_name = kube::Namespace(claim);
  out.name = kube::Name(claim);
  out.uid = kube::Uid(claim);
  out.labels = ReadLabels(claim["metadata"]["labels"]);
  out.owner_pod_uid = OwnerPodUid(claim);
  out.for_extended_resources = IsExtendedResourceClaim(claim);
  out.deleted = kube::IsDeleting(claim);
  const json::Value& devices = claim["spec"]["devices"];
  for (const json::Value& item : devices["requests"].Items())
    out.requests.push_back(ReadRequest(item));
  for (const json::Value& item : devices["constraints"].Items()) {
    out.constraints.push_back(ReadDeviceConstraint(item));
  }
  out.config = ReadConfig(devices["config"]);
  if (claim["status"].Has("allocation"))
    out.allocation = ReadAllocation(claim["status"]["allocation"]);
  for (const json::Value& user : claim["status"]["reservedFor"].Items()) {
    if (user["resource"].AsString() != "pods") continue;
    out.reserved_for.push_back({user["name"].ToString(), user["uid"].ToString()});
  }
  return out;
}

engine::ClaimAllocation ReadAllocation(const json::Value& allocation) {
  engine::ClaimAllocation out;
  for (const json::Value& result : allocation["devices"]["results"].Items()) {
    out.devices.push_back({result["request"].ToString(), result["driver"].ToString(),
                           result["pool"].ToString(), result["device"].ToString(),
                           result["adminAccess"].AsBool()});
  }
  out.config = ReadConfig(allocation["devices"]["config"]);
  if (allocation.Has("nodeSelector")) {
    out.node_selector = ReadNodeSelector(allocation["nodeSelector"]);
  }
  return out;
}

json::Value WriteAllocation(const engine::ClaimAllocation& allocation) {
  json::Value results = json::Value::Array();
  for (const engine::AllocatedDevice& device : allocation.devices) {
    json::Value result = json::Value::Object({{"request", device.request},
                                              {"driver", device.driver},
                                              {"pool", device.pool},
                                              {"device", device.device}});
    if (device.admin_access) result.Set("adminAccess", true);
    results.Append(std::move(result));
  }
  json::Value out =
      json::Value::Object({{"devices", json::Value::Object({{"results", std::move(results)}})}});
  for (const engine::DeviceConfig& config : allocation.config) {
    out.Mutable("devices").Mutable("config").Append(WriteConfig(config));
  }
  if (allocation.node_selector)
    out.Set("nodeSelector", WriteNodeSelector(*allocation.node_selector));
  return out;
}

}  // namespace coppice::services::scheduler
