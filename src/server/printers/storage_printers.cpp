#include <fmt/format.h>

#include <cctype>

#include "kube/object.h"
#include "server/printers/cells.h"

namespace coppice::server {
namespace {

std::string AccessModes(Object modes) {
  std::string text;
  for (const json::Value& mode : modes.Items()) {
    if (!text.empty()) text += ",";
    for (const char c : mode.AsString()) {
      if (std::isupper(static_cast<unsigned char>(c))) text += c;
    }
  }
  return text;
}

Cells Claim(Object o, base::Time now) {
  std::string phase = o["status"]["phase"].ToString();
  if (kube::IsDeleting(o)) phase = "Terminating";
  return {o["metadata"]["name"],
          phase,
          o["spec"]["volumeName"].ToString(),
          o["status"]["capacity"]["storage"].ToString(),
          AccessModes(o["status"]["accessModes"]),
          o["spec"]["storageClassName"].ToString(),
          o["spec"]["volumeAttributesClassName"].ToString("<unset>"),
          Age(o, now),
          o["spec"]["volumeMode"].ToString("<unset>")};
}

Cells Volume(Object o, base::Time now) {
  Object ref = o["spec"]["claimRef"];
  std::string claim;
  if (ref.IsObject()) claim = ref["namespace"].ToString() + "/" + ref["name"].ToString();
  return {o["metadata"]["name"],
          o["spec"]["capacity"]["storage"].ToString(),
          AccessModes(o["spec"]["accessModes"]),
          o["spec"]["persistentVolumeReclaimPolicy"].ToString(),
          kube::IsDeleting(o) ? "Terminating" : o["status"]["phase"].ToString(),
          claim,
          o["spec"]["storageClassName"].ToString(),
          o["spec"]["volumeAttributesClassName"].ToString("<unset>"),
          o["status"]["reason"].ToString(),
          Age(o, now),
          o["spec"]["volumeMode"].ToString("<unset>")};
}

Cells StorageClass(Object o, base::Time now) {
  std::string name = o["metadata"]["name"].ToString();
  if (kube::Annotation(o, "storageclass.kubernetes.io/is-default-class") == "true") {
    name += " (default)";
  }
  return {name,
          o["provisioner"],
          o["reclaimPolicy"].ToString("Delete"),
          o["volumeBindingMode"].ToString("Immediate"),
          o["allowVolumeExpansion"].AsBool(),
          Age(o, now)};
}

Cells CsiDriver(Object o, base::Time now) {
  Object spec = o["spec"];
  std::string audiences;
  for (const json::Value& request : spec["tokenRequests"].Items()) {
    if (!audiences.empty()) audiences += ",";
    audiences += request["audience"].AsString();
  }
  return {NameOf(o),
          spec["attachRequired"].AsBool(true),
          spec["podInfoOnMount"].AsBool(),
          spec["storageCapacity"].AsBool(),
          audiences.empty() ? "<unset>" : audiences,
          spec["requiresRepublish"].AsBool(),
          spec["volumeLifecycleModes"].empty() ? "<none>" : Join(spec["volumeLifecycleModes"]),
          Age(o, now)};
}

Cells CsiNode(Object o, base::Time now) {
  return {NameOf(o), static_cast<int64_t>(o["spec"]["drivers"].size()), Age(o, now)};
}

Cells Attachment(Object o, base::Time now) {
  Object spec = o["spec"];
  return {NameOf(o),
          spec["attacher"],
          spec["source"]["persistentVolumeName"].ToString(),
          spec["nodeName"],
          o["status"]["attached"].AsBool(),
          Age(o, now)};
}

Cells AttributesClass(Object o, base::Time now) {
  return {NameOf(o), o["driverName"], Age(o, now)};
}

}  // namespace

Printers StoragePrinters() {
  // clang-format off
  return {
      {"/persistentvolumes",
       {Columns("Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|"
                "VolumeAttributesClass|Reason|Age|!VolumeMode"), Volume}},
      {"/persistentvolumeclaims",
       {Columns("Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|"
                "!VolumeMode"), Claim}},
      {"storage.k8s.io/storageclasses",
       {Columns("Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age"),
        StorageClass}},
      {"storage.k8s.io/csidrivers",
       {Columns("Name|AttachRequired|PodInfoOnMount|StorageCapacity|TokenRequests|RequiresRepublish|"
                "Modes|Age"), CsiDriver}},
      {"storage.k8s.io/csinodes", {Columns("Name|Drivers|Age"), CsiNode}},
      {"storage.k8s.io/csistoragecapacities", NameAndCreation()},
      {"storage.k8s.io/volumeattachments",
       {Columns("Name|Attacher|PV|Node|Attached|Age"), Attachment}},
      {"storage.k8s.io/volumeattributesclasses", {Columns("Name|DriverName|Age"), AttributesClass}},
  };
  // clang-format on
}

}  // namespace coppice::server
