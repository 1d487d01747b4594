#include "server/core/selection.h"

#include "server/model/errors.h"

namespace coppice::server {

base::Result<Selection> Selection::Parse(const ServedResource& served, const std::string& ns,
                                         const std::string& labels, const std::string& fields) {
  Selection selection;
  if (served.resource.namespaced && !ns.empty()) selection.prefix = ns + "/";
  if (!labels.empty()) {
    base::Result<api::LabelSelector> parsed = api::LabelSelector::Parse(labels);
    if (!parsed) return BadRequest(parsed.error().message());
    selection.labels = *std::move(parsed);
  }
  if (!fields.empty()) {
    base::Result<api::FieldSelector> parsed = api::FieldSelector::Parse(fields);
    if (!parsed) return BadRequest(parsed.error().message());
    if (served.storage == "/events" && served.resource.group == "events.k8s.io") {
      parsed->RenameFields("regarding", "involvedObject");
      parsed->RenameFields("reportingController", "reportingComponent");
    }
    std::vector<api::SelectableField> known = served.rules->SelectableFields();
    known.push_back("metadata.name");
    if (served.resource.namespaced) known.push_back("metadata.namespace");
    COPPICE_TRY(parsed->Resolve(known));
    selection.fields = *std::move(parsed);
  }
  return selection;
}

}  // namespace coppice::server
