#include "cli/render.h"

#include <fmt/format.h>

#include <set>

#include "backends/render.h"
#include "cli/files.h"
#include "cli/views.h"
#include "json/yaml.h"
#include "operator/render.h"
#include "sim/components.h"

namespace coppice::cli {
namespace {

using json::Value;

base::Result<std::vector<Value>> GangObjects(const Value& set, const std::string& backend,
                                             const std::string& kubernetes) {
  backends::RenderOptions options;
  options.backend = backend;
  options.kubernetes = kubernetes;
  options.config = backends::AllBackends();
  COPPICE_ASSIGN(const auto gangs, backends::RenderSet(set, options));
  std::vector<Value> out;
  for (const backends::RenderedGang& gang : gangs) {
    out.push_back(gang.pod_gang);
    out.insert(out.end(), gang.objects.begin(), gang.objects.end());
  }
  return out;
}

std::set<std::string> Lines(const std::vector<Value>& objects) {
  std::set<std::string> out;
  for (const Value& object : objects) out.insert(json::WriteYaml(object));
  return out;
}

base::Status Diff(const Value& set, const RenderFlags& flags) {
  COPPICE_ASSIGN(const auto left, GangObjects(set, flags.backend, flags.kubernetes));
  COPPICE_ASSIGN(const auto right, GangObjects(set, flags.diff, flags.kubernetes));
  const std::set<std::string> ours = Lines(left), theirs = Lines(right);
  for (const std::string& object : ours) {
    if (!theirs.contains(object)) fmt::print("--- only {}\n{}", flags.backend, object);
  }
  for (const std::string& object : theirs) {
    if (!ours.contains(object)) fmt::print("--- only {}\n{}", flags.diff, object);
  }
  return {};
}

base::Status Render(const RenderFlags& flags) {
  COPPICE_ASSIGN(const std::string text, ReadFile(flags.file));
  COPPICE_ASSIGN(const Value set, json::ParseYaml(text));
  if (!flags.diff.empty()) return Diff(set, flags);
  COPPICE_ASSIGN(std::vector<Value> objects,
                 operators::RenderSet(sim::DefaultOperatorConfig(), set));
  COPPICE_ASSIGN(const auto gangs, GangObjects(set, flags.backend, flags.kubernetes));
  objects.insert(objects.end(), gangs.begin(), gangs.end());
  for (const Value& object : objects) fmt::print("---\n{}", json::WriteYaml(object));
  return {};
}

}  // namespace

int RunRender(const RenderFlags& flags) {
  const base::Status done = Render(flags);
  return done ? 0 : Fail(done.error());
}

}  // namespace coppice::cli
