#include "api/grove/crd_notes.h"
#include "api/kai/config_notes.h"
#include "api/kai/crds.h"
#include "api/kai/scheduling_shard.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {

StructNotes Notes(const ConditionsStatus*);

json::Value ConfigCrd() {
  return Crd(kConfigs)
      .Version<ConfigSpec, ConditionsStatus>(
          "v1", {.about = "What the platform operator deploys. Only kai-config counts."})
      .ToJson();
}

}  // namespace coppice::api::kai
