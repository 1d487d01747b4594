// A backend in a shared object: gangs of the (made-up) Acme scheduler. It uses nothing of Coppice
// but the C header, so that it builds anywhere and works with every version that has the interface.
#include <string>

#include "plugin_abi.h"

namespace {

const coppice_host_v1* host;

// The few calls that this backend needs, in a shape that reads well.
std::string Text(const coppice_value* value) {
  size_t length = 0;
  const char* text = host->text(value, &length);
  return std::string(text, length);
}
coppice_value* Text(const std::string& text) { return host->make_text(text.data(), text.size()); }

coppice_value* Resource() {
  coppice_value* resource = host->make_object();
  host->set(resource, "group", Text(std::string("acme.example.com")));
  host->set(resource, "version", Text(std::string("v1")));
  host->set(resource, "plural", Text(std::string("gangs")));
  host->set(resource, "kind", Text(std::string("Gang")));
  return resource;
}

coppice_value* Resources(void*) {
  coppice_value* all = host->make_array();
  host->append(all, Resource());
  return all;
}

coppice_value* Roles(const coppice_value* gang) {
  coppice_value* roles = host->make_array();
  const coppice_value* groups = host->member(gang, "groups");
  for (size_t i = 0; i < host->count(groups); ++i) {
    const coppice_value* group = host->item(groups, i);
    coppice_value* role = host->make_object();
    host->set(role, "name", host->copy(host->member(group, "name")));
    host->set(role, "minimum", host->copy(host->member(group, "minReplicas")));
    host->append(roles, role);
  }
  return roles;
}

coppice_value* Gang(const coppice_value* gang) {
  coppice_value* metadata = host->make_object();
  host->set(metadata, "name", host->copy(host->member(gang, "name")));
  host->set(metadata, "namespace", host->copy(host->member(gang, "namespace")));
  coppice_value* spec = host->make_object();
  host->set(spec, "minMember", host->copy(host->member(gang, "minMember")));
  host->set(spec, "roles", Roles(gang));
  coppice_value* object = host->make_object();
  host->set(object, "metadata", metadata);
  host->set(object, "spec", spec);
  return object;
}

// Acme knows no topology: a gang that requires some is refused, with the field.
coppice_value* Refuse() {
  coppice_value* refusal = host->make_object();
  host->set(refusal, "reason", Text(std::string("CapabilityMissing")));
  host->set(refusal, "path", Text(std::string("spec.topologyConstraint.packConstraint.required")));
  host->set(refusal, "message", Text(std::string("Acme places pods anywhere")));
  coppice_value* answer = host->make_object();
  host->set(answer, "refusal", refusal);
  return answer;
}

coppice_value* Translate(void*, const coppice_value* input) {
  const coppice_value* gang = host->member(input, "gang");
  if (!host->is_null(host->member(host->member(gang, "topology"), "required"))) return Refuse();
  coppice_value* entry = host->make_object();
  host->set(entry, "resource", Resource());
  host->set(entry, "object", Gang(gang));
  coppice_value* objects = host->make_array();
  host->append(objects, entry);
  coppice_value* answer = host->make_object();
  host->set(answer, "objects", objects);
  return answer;
}

coppice_value* MarkPod(void*, const coppice_value* input, const coppice_value* slot) {
  coppice_value* labels = host->make_object();
  host->set(labels, "acme.example.com/gang",
            host->copy(host->member(host->member(input, "gang"), "name")));
  host->set(labels, "acme.example.com/role", host->copy(host->member(slot, "group")));
  coppice_value* answer = host->make_object();
  host->set(answer, "labels", labels);
  return answer;
}

coppice_value* ReadSignals(void*, const coppice_value*, const coppice_value* objects) {
  coppice_value* signals = host->make_object();
  const coppice_value* status = host->member(host->item(objects, 0), "status");
  if (Text(host->member(status, "phase")) == "Waiting") {
    host->set(signals, "unschedulableReason", Text(std::string("WaitingForAcme")));
    host->set(signals, "unschedulableMessage", host->copy(host->member(status, "message")));
  }
  return signals;
}

const char* const kSchedulers[] = {"acme-scheduler", nullptr};
const coppice_backend_v1 kBackend = {sizeof(coppice_backend_v1),
                                     "acme",
                                     kSchedulers,
                                     "acme.example.com/gang",
                                     nullptr,
                                     &Resources,
                                     &Translate,
                                     &MarkPod,
                                     &ReadSignals};

}  // namespace

extern "C" const coppice_backend_v1* coppice_backend_open_v1(const coppice_host_v1* given) {
  if (given->size < sizeof(coppice_host_v1)) return nullptr;
  host = given;
  return &kBackend;
}
