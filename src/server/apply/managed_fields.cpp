#include "server/apply/managed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "server/apply/created_fields.h"
#include "server/apply/shared_fields.h"
#include "server/apply/updated_fields.h"
#include "server/model/conversion.h"

namespace coppice::server {
namespace {

// Places that the system fills for everyone.
constexpr const char* kNobodysMetadata[] = {"f:name",
                                            "f:namespace",
                                            "f:creationTimestamp",
                                            "f:selfLink",
                                            "f:uid",
                                            "f:generation",
                                            "f:managedFields",
                                            "f:resourceVersion",
                                            "f:generateName",
                                            "f:deletionTimestamp",
                                            "f:deletionGracePeriodSeconds"};

// Objects that exist even when empty have no owner themselves, only what is in them.
void ClearStructural(FieldSet& set) {
  for (auto& [element, child] : set.children) {
    if (element == "f:metadata" || element == "f:spec" || element == "f:status" ||
        element == "f:template" || element == "f:containers" || element == "f:strategy" ||
        element == "f:updateStrategy" || element == "f:jobTemplate" ||
        element == "f:scaleTargetRef") {
      if (!child.children.empty()) child.member = false;
    }
    ClearStructural(child);
  }
}

// In place of a subresource: the object with all of its parts.
constexpr std::string_view kWhole = "*";

void Strip(const ServedResource& served, std::string_view subresource, FieldSet& set) {
  set.member = false;
  set.Erase("f:apiVersion");
  set.Erase("f:kind");
  if (const auto metadata = set.children.find("f:metadata"); metadata != set.children.end()) {
    for (const char* field : kNobodysMetadata) metadata->second.Erase(field);
    metadata->second.member = false;
    if (metadata->second.empty()) set.children.erase(metadata);
  }
  if (!served.has_status) return;
  if (subresource.empty()) {
    set.Erase("f:status");
  } else if (subresource == "status") {
    std::erase_if(set.children, [](const auto& child) {
      return child.first != "f:status" && child.first != "f:metadata";
    });
  }
}

bool IsSame(const ManagedEntry& entry, const Request& request, std::string_view operation,
            const std::string& manager) {
  const bool version = operation == "Apply" || entry.api_version == request.resource().ApiVersion();
  return entry.manager == manager && entry.operation == operation && version &&
         entry.subresource == request.tracked();
}

std::string ManagerOf(const Request& request) {
  return request.field_manager.empty() ? "coppice" : request.field_manager;
}

ManagedEntry& EntryFor(std::vector<ManagedEntry>& entries, const Request& request,
                       std::string_view operation) {
  const std::string manager = ManagerOf(request);
  for (ManagedEntry& entry : entries) {
    if (IsSame(entry, request, operation, manager)) return entry;
  }
  entries.push_back({manager,
                     std::string(operation),
                     request.resource().ApiVersion(),
                     request.tracked(),
                     "",
                     {}});
  return entries.back();
}

std::string ManagerText(const ManagedEntry& entry) {
  std::string text = fmt::format("\"{}\"", entry.manager);
  if (!entry.subresource.empty())
    text += fmt::format(" with subresource \"{}\"", entry.subresource);
  if (entry.operation == "Update") text += fmt::format(" using {}", entry.api_version);
  return text;
}

struct ConflictList {
  // In the order of their managers' names.
  std::map<std::tuple<std::string, std::string, std::string>,
           std::pair<std::string, std::vector<std::string>>>
      by_manager;
  size_t count = 0;

  void Add(const ManagedEntry& entry, std::vector<std::string> paths) {
    count += paths.size();
    by_manager[{entry.manager, entry.operation, entry.api_version + entry.subresource}] = {
        ManagerText(entry), std::move(paths)};
  }
};

base::Error ApplyConflict(const ConflictList& conflicts) {
  std::vector<base::FieldCause> causes;
  std::string message = fmt::format("Apply failed with {} conflict{}: ", conflicts.count,
                                    conflicts.count == 1 ? "" : "s");
  bool first = true;
  for (const auto& [order, conflict] : conflicts.by_manager) {
    const auto& [manager, paths] = conflict;
    if (!first) message += "\n";
    first = false;
    if (conflicts.count == 1) {
      message += fmt::format("conflict with {}: {}", manager, paths[0]);
    } else {
      message += fmt::format("conflicts with {}:", manager);
      for (const std::string& path : paths) message += "\n- " + path;
    }
    for (const std::string& path : paths) {
      causes.push_back({"FieldManagerConflict", path, "conflict with " + manager});
    }
  }
  return base::Conflict(message).WithCauses(std::move(causes));
}

json::Value WithoutManagedFields(json::Value object) {
  if (json::Value* metadata = object.FindMutable("metadata")) metadata->Erase("managedFields");
  return object;
}

json::Value Encode(const ManagedEntry& entry, json::Value fields) {
  json::Value value = json::Value::Object({{"manager", entry.manager},
                                           {"operation", entry.operation},
                                           {"apiVersion", entry.api_version},
                                           {"time", entry.time},
                                           {"fieldsType", "FieldsV1"},
                                           {"fieldsV1", std::move(fields)}});
  if (!entry.subresource.empty()) value.Set("subresource", entry.subresource);
  return value;
}

void TrackCreate(const Request& request, base::Time now, json::Value& object) {
  json::Value& metadata = object.Mutable("metadata");
  metadata.Erase("managedFields");
  json::Value fields = CreatedFields(request, object);
  if (fields.empty()) return;
  std::vector<ManagedEntry> entries;
  ManagedEntry& mine = EntryFor(entries, request, "Update");
  mine.time = base::FormatRfc3339(now);
  object.Mutable("metadata")
      .Set("managedFields", json::Value::Array({Encode(mine, std::move(fields))}));
}

void WriteEntries(std::vector<json::Value> entries, json::Value& object) {
  std::erase_if(entries, [](const json::Value& entry) { return entry["fieldsV1"].empty(); });
  std::sort(entries.begin(), entries.end(), [](const json::Value& a, const json::Value& b) {
    for (const char* field : {"operation", "time", "manager", "apiVersion", "subresource"}) {
      const int order = a[field].AsString().compare(b[field].AsString());
      if (order != 0) return order < 0;
    }
    return false;
  });
  json::Value& metadata = object.Mutable("metadata");
  if (entries.empty()) {
    metadata.Erase("managedFields");
  } else {
    metadata.Set("managedFields", json::Value::Array(std::move(entries)));
  }
}

bool IsUpdateOf(const Request& request, const std::string& manager, const json::Value& entry) {
  return entry["manager"].AsString() == manager && entry["operation"].AsString() == "Update" &&
         entry["apiVersion"].AsString() == request.resource().ApiVersion() &&
         entry["subresource"].AsString() == request.tracked();
}

json::Value& UpdateEntryFor(std::vector<json::Value>& entries, const Request& request) {
  const std::string manager = ManagerOf(request);
  for (json::Value& entry : entries) {
    if (IsUpdateOf(request, manager, entry)) return entry;
  }
  const ManagedEntry fresh{manager,           "Update", request.resource().ApiVersion(),
                           request.tracked(), "",       {}};
  return entries.emplace_back(Encode(fresh, json::Value::Object()));
}

void SetFields(json::Value fields, json::Value& entry) {
  if (!fields.SameAs(entry["fieldsV1"])) entry.Set("fieldsV1", ShareFields(std::move(fields)));
}

// Ownership after an update: the writer owns what changed; removed fields have no owner.
std::vector<json::Value> NextEntries(const Request& request, const json::Value& current,
                                     const UpdatedFields& updated, base::Time now) {
  std::vector<json::Value> entries(current.Items().begin(), current.Items().end());
  json::Value& mine = UpdateEntryFor(entries, request);
  if (json::Value fields = updated.AddedTo(mine["fieldsV1"]); !fields.SameAs(mine["fieldsV1"])) {
    mine.Set("time", base::FormatRfc3339(now));
    mine.Set("fieldsV1", std::move(fields));
  }
  for (json::Value& entry : entries) {
    if (&entry != &mine) SetFields(updated.TakenFrom(entry["fieldsV1"]), entry);
    SetFields(updated.WithoutRemoved(entry["fieldsV1"]), entry);
  }
  return entries;
}

// A client gives up all tracking by sending an empty list.
bool WantsReset(const json::Value& object) {
  const json::Value* given = object["metadata"].Find("managedFields");
  if (!given || !given->IsArray()) return false;
  return given->empty() || (given->size() == 1 && given->At(0).empty());
}

// In the version of the request, because its field names are recorded.
void TrackServed(const Request& request, const json::Value& old, base::Time now,
                 json::Value& object) {
  if (old.IsNull()) return TrackCreate(request, now, object);
  json::Value& metadata = object.Mutable("metadata");
  if (WantsReset(object) && old["metadata"].Has("managedFields")) {
    metadata.Erase("managedFields");
    return;
  }
  const json::Value before = WithoutManagedFields(old);
  metadata.Erase("managedFields");
  const UpdatedFields updated = UpdatedFields::Between(request, before, object);
  if (updated.empty()) {
    if (const json::Value* kept = old["metadata"].Find("managedFields")) {
      metadata.Set("managedFields", *kept);
    }
    return;
  }
  WriteEntries(NextEntries(request, old["metadata"]["managedFields"], updated, now), object);
}

}  // namespace

void LeaveOutNobodys(const Request& request, FieldSet& changed) {
  Strip(*request.served, kWhole, changed);
  ClearStructural(changed);
}

FieldDifference ComputeDifference(const Request& request, const json::Value& old,
                                  const json::Value& now) {
  FieldDifference difference = Compare(old, now, ObjectSchema(request.served->schema));
  LeaveOutNobodys(request, difference.changed);
  Strip(*request.served, kWhole, difference.removed);
  return difference;
}

std::vector<ManagedEntry> ReadManagedFields(const json::Value& object) {
  std::vector<ManagedEntry> entries;
  for (const json::Value& entry : object["metadata"]["managedFields"].Items()) {
    entries.push_back({entry["manager"].ToString(), entry["operation"].ToString(),
                       entry["apiVersion"].ToString(), entry["subresource"].ToString(),
                       entry["time"].ToString(), FieldSet::FromJson(entry["fieldsV1"])});
  }
  return entries;
}

void WriteManagedFields(const std::vector<ManagedEntry>& entries, json::Value& object) {
  std::vector<json::Value> encoded;
  for (const ManagedEntry& entry : entries) {
    if (!entry.fields.empty()) encoded.push_back(Encode(entry, entry.fields.ToJson()));
  }
  WriteEntries(std::move(encoded), object);
}

void TrackUpdate(const Request& request, const json::Value& old, base::Time now,
                 json::Value& object) {
  const ServedResource& served = *request.served;
  if (IsStoredVersion(served)) return TrackServed(request, old, now, object);
  json::Value shown = ToServed(served, object);
  TrackServed(request, old.IsNull() ? old : ToServed(served, old), now, shown);
  object.Mutable("metadata").Erase("managedFields");
  if (const json::Value* told = shown["metadata"].Find("managedFields")) {
    object.Mutable("metadata").Set("managedFields", *told);
  }
}

base::Result<json::Value> ApplyConfiguration(const Request& request, const json::Value& live,
                                             const json::Value& configuration, base::Time now) {
  const ObjectSchema schema(request.served->schema);
  FieldSet wanted = FieldsOf(configuration, schema);
  Strip(*request.served, request.subresource, wanted);
  std::vector<ManagedEntry> entries = ReadManagedFields(live);
  ManagedEntry& mine = EntryFor(entries, request, "Apply");
  const FieldSet last = mine.fields;
  mine.fields = wanted;
  mine.api_version = request.resource().ApiVersion();
  if (!(last == wanted) || mine.time.empty()) mine.time = base::FormatRfc3339(now);
  const ManagedEntry* self = &mine;

  const json::Value before = live.IsNull() ? json::Value::Object() : WithoutManagedFields(live);
  json::Value object = MergeFields(before, configuration, schema);
  FieldSet kept;
  for (const ManagedEntry& entry : entries) kept.UniteWith(entry.fields);
  RemoveFields(object, last, kept, schema);

  FieldDifference difference = Compare(before, object, schema);
  ConflictList conflicts;
  for (ManagedEntry& entry : entries) {
    if (&entry == self) continue;
    const FieldSet contested = entry.fields.IntersectWith(difference.changed);
    if (!contested.empty()) {
      conflicts.Add(entry, contested.Paths());
      entry.fields.Subtract(contested);
    }
    entry.fields.Subtract(difference.removed);
  }
  if (conflicts.count > 0 && !request.force) return ApplyConflict(conflicts);
  WriteManagedFields(entries, object);
  return object;
}

}  // namespace coppice::server
