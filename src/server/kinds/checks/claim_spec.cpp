#include "server/kinds/checks/claim_spec.h"

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/selectors.h"

namespace coppice::server {

using api::Child;

void CheckAccessModes(const json::Value& modes, const std::string& path, Causes& causes) {
  bool alone = false;
  for (const json::Value& mode : modes.Items()) {
    CheckOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, path,
               causes);
    alone = alone || mode.AsString() == "ReadWriteOncePod";
  }
  if (!alone || modes.size() == 1) return;
  causes.push_back(
      api::ForbiddenField(path, "may not use ReadWriteOncePod with other access modes"));
}

void ValidateClaimSpec(const json::Value& spec, const std::string& path, Causes& causes) {
  const std::string modes = Child(path, "accessModes");
  if (spec["accessModes"].empty()) {
    causes.push_back(api::RequiredField(modes, "at least 1 access mode is required"));
  }
  CheckAccessModes(spec["accessModes"], modes, causes);
  CheckLabelSelector(spec["selector"], Child(path, "selector"), causes);
  const json::Value& storage = spec["resources"]["requests"]["storage"];
  const std::string size = api::Key(Child(path, "resources"), "storage");
  if (storage.IsNull()) {
    causes.push_back(api::RequiredField(size));
  } else if (SignOf(storage) <= 0) {
    causes.push_back(api::InvalidField(size, storage, "must be greater than zero"));
  }
  const json::Value& name = spec["storageClassName"];
  if (!name.AsString().empty()) {
    CheckProblems(name, api::Dns1123SubdomainProblems(name.AsString()),
                  Child(path, "storageClassName"), causes);
  }
  if (spec.Has("volumeMode")) {
    CheckOneOf(spec["volumeMode"], {"Block", "Filesystem"}, Child(path, "volumeMode"), causes);
  }
}

}  // namespace coppice::server
