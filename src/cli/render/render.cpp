#include "cli/render/render.h"

#include <fmt/format.h>

#include <map>

#include "api/edit/any.h"
#include "api/view/core.h"
#include "backends/tools/render.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/render/line_diff.h"
#include "cli/render/render_check.h"
#include "cli/render/render_topology.h"
#include "cli/run/operator_config.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/render.h"

namespace coppice::cli {
namespace {

using json::Value;

// The contents of a file: sets, and objects of the cluster.
struct Input {
  std::vector<Value> sets;
  Value binding;
  std::vector<Value> cluster;
};

base::Result<Input> ReadInput(const std::string& path) {
  COPPICE_ASSIGN(const std::string text, ReadFile(path));
  COPPICE_ASSIGN(std::vector<Value> documents, json::ParseYamlDocuments(text));
  Input input;
  for (Value& document : documents) {
    if (kube::Kind(document) == "PodCliqueSet") {
      if (kube::Namespace(document).empty()) {
        edit::any::Object(document).metadata().set_namespace_("default");
      }
      input.sets.push_back(std::move(document));
    } else {
      if (kube::Kind(document) == "ClusterTopologyBinding") input.binding = document;
      input.cluster.push_back(std::move(document));
    }
  }
  if (input.sets.empty()) {
    return base::InvalidArgument((path == "-" ? "standard input" : path) +
                                 " holds no PodCliqueSet");
  }
  return input;
}

// Everything that would be created, with notes about it.
struct Rendered {
  std::vector<Value> objects;
  std::vector<std::string> notes;
  bool refused = false;
};

void AddGang(const backends::RenderedGang& gang, Rendered& rendered) {
  rendered.objects.push_back(gang.pod_gang);
  for (const auto* list : {&gang.objects, &gang.pods}) {
    rendered.objects.insert(rendered.objects.end(), list->begin(), list->end());
  }
  const std::string_view name = kube::Name(gang.pod_gang);
  if (gang.refusal) {
    rendered.refused = true;
    rendered.notes.push_back(fmt::format("gang {}: refused: {}: {}: {}", name, gang.refusal->reason,
                                         gang.refusal->path, gang.refusal->message));
  } else if (!gang.outcomes.empty()) {
    rendered.notes.push_back(
        fmt::format("gang {}: not native: {}", name, backends::Describe(gang.outcomes)));
  }
}

// A cluster would not hand such a gang to its scheduler, or would drop the preference.
void NoteUnresolved(const Value& set, const Value& binding, Rendered& rendered) {
  for (const UnresolvedLevel& level : FindUnresolvedLevels(set, binding)) {
    rendered.refused |= level.required;
    rendered.notes.push_back(fmt::format("set {}: {}: {}: {}", kube::Name(set),
                                         level.required ? "refused: TopologyUnresolved" : "dropped",
                                         level.path, level.message));
  }
}

base::Status RenderSet(const operators::Config& config, const Input& input, const Value& set,
                       backends::RenderOptions options, Rendered& rendered) {
  NoteUnresolved(set, input.binding, rendered);
  COPPICE_ASSIGN(const Value retargeted, backends::Retarget(set, options));
  COPPICE_ASSIGN(std::vector<Value> objects,
                 operators::RenderSet(config, retargeted, input.cluster));
  for (Value& object : objects) {
    (kube::Kind(object) == "Pod" ? options.pods : rendered.objects).push_back(std::move(object));
  }
  options.binding = input.binding;
  options.cluster = input.cluster;
  options.gang_metadata = [&](const backends::PodGangInfo& gang,
                              const backends::Selection& selection, Value& pod_gang) {
    operators::RenderGangMetadata(config, retargeted, gang, selection, pod_gang);
  };
  COPPICE_ASSIGN(const auto gangs, backends::RenderSet(retargeted, options));
  for (const backends::RenderedGang& gang : gangs) AddGang(gang, rendered);
  return {};
}

base::Result<Rendered> Render(const RenderFlags& flags, const std::string& backend) {
  COPPICE_ASSIGN(const operators::Config config, ReadOperatorConfig(flags.config_file));
  COPPICE_ASSIGN(const Input input, ReadInput(flags.file));
  Rendered rendered;
  for (const Value& set : input.sets) {
    COPPICE_TRY(CheckAsServer(config, flags.kubernetes, set));
    backends::RenderOptions options;
    options.backend = backend;
    options.kubernetes = flags.kubernetes;
    options.config = config.backends;
    COPPICE_TRY(RenderSet(config, input, set, std::move(options), rendered));
  }
  return rendered;
}

// Pods get their names at creation, so they are identified by hostname.
std::string IdOf(const Value& object) {
  const std::string_view name =
      kube::Kind(object) == "Pod" ? view::core::Pod(object).spec().hostname() : kube::Name(object);
  return fmt::format("{} {} {}", kube::ApiVersion(object), kube::Kind(object), name);
}

std::string Compare(const Rendered& left, const Rendered& right) {
  std::map<std::string, const Value*> others;
  for (const Value& object : right.objects) others[IdOf(object)] = &object;
  std::string out;
  const auto add = [&out](const std::string& id, const std::string& diff) {
    if (!diff.empty()) out += fmt::format("=== {}\n{}", id, diff);
  };
  for (const Value& object : left.objects) {
    const auto other = others.extract(IdOf(object));
    add(IdOf(object),
        LineDiff(json::WriteYaml(object), other.empty() ? "" : json::WriteYaml(*other.mapped())));
  }
  for (const Value& object : right.objects) {
    if (others.contains(IdOf(object))) add(IdOf(object), LineDiff("", json::WriteYaml(object)));
  }
  return out;
}

void Note(const Rendered& rendered, const std::string& backend) {
  for (const std::string& note : rendered.notes) {
    fmt::print(stderr, "{}{}{}\n", backend, backend.empty() ? "" : ": ", note);
  }
}

base::Result<int> RenderFiles(const RenderFlags& flags) {
  COPPICE_ASSIGN(const Rendered rendered, Render(flags, flags.backend));
  Note(rendered, flags.diff.empty() ? "" : flags.backend);
  if (flags.diff.empty()) {
    for (const Value& object : rendered.objects) fmt::print("---\n{}", json::WriteYaml(object));
    return rendered.refused ? 1 : 0;
  }
  COPPICE_ASSIGN(const Rendered other, Render(flags, flags.diff));
  Note(other, flags.diff);
  fmt::print("{}", Compare(rendered, other));
  return rendered.refused || other.refused ? 1 : 0;
}

}  // namespace

int RunRender(const RenderFlags& flags) {
  const auto code = RenderFiles(flags);
  return code ? *code : Fail(code.error());
}

}  // namespace coppice::cli
