#include "cli/doctor.h"

#include <fmt/format.h>

#include "backends/tools/doctor.h"
#include "cli/run/operator_config.h"
#include "cli/show/views.h"
#include "kube/executor/thread_executor.h"
#include "operator/webhooks/findings.h"

namespace coppice::cli {
namespace {

using json::Value;

std::string Joined(const Value& items) {
  std::string out;
  for (const Value& item : items.Items()) {
    if (!out.empty()) out += ", ";
    out += item.AsString();
  }
  return out;
}

std::string Served(const Value& report) {
  std::vector<std::vector<std::string>> rows = {{"API", "VERSIONS"}};
  for (const Value& api : report["apis"].Items()) {
    rows.push_back({api["resource"].ToString(), Joined(api["versions"])});
  }
  for (const Value& name : report["missing"].Items()) rows.push_back({name.ToString(), "-"});
  return AlignColumns(rows);
}

std::string Fields(const Value& report) {
  std::vector<std::vector<std::string>> rows = {{"OPTIONAL FIELD", "KEPT"}};
  for (const Value& field : report["fields"].Items()) {
    rows.push_back({fmt::format("{} {}", field["resource"].AsString(), field["field"].AsString()),
                    field["kept"].AsBool() ? "yes" : "no"});
  }
  return rows.size() == 1 ? std::string() : AlignColumns(rows) + "\n";
}

// "native" or the first word of what becomes of the wish.
std::string Short(const Value& wish) {
  const std::string text = wish.ToString();
  return text.substr(0, text.find(':'));
}

std::string Backends(const Value& report) {
  std::vector<std::vector<std::string>> rows = {{"BACKEND", "SCHEDULER", "WORKS", "SURPLUS",
                                                 "REQUIRED GANG", "PREFERRED GANG",
                                                 "REQUIRED GROUP", "PREFERRED GROUP"}};
  std::string reasons;
  for (const Value& backend : report["backends"].Items()) {
    const Value& wishes = backend["wishes"];
    const bool works = backend["works"].AsBool();
    // What the cluster can take is worth knowing before the scheduler is installed.
    const bool absent = !works && !backend["schedulerSeen"].AsBool(true);
    std::vector<std::string> row = {backend["name"].ToString(), backend["schedulerName"].ToString(),
                                    works ? "yes" : "no"};
    for (const char* wish :
         {"surplus", "requiredGang", "preferredGang", "requiredGroup", "preferredGroup"}) {
      row.push_back(works || absent ? Short(wishes[wish]) : "-");
    }
    rows.push_back(std::move(row));
    if (!works) {
      reasons += fmt::format("{}: {}\n", backend["name"].AsString(), backend["reason"].AsString());
    }
    if (!backend["missingRights"].empty()) {
      reasons += fmt::format("{}: missing rights: {}\n", backend["name"].AsString(),
                             Joined(backend["missingRights"]));
    }
  }
  return AlignColumns(rows) + (reasons.empty() ? "" : "\n" + reasons) +
         "\n-o yaml says why something is refused, dropped or approximated.\n";
}

std::string Text(const Value& report) {
  std::string text =
      fmt::format("Kubernetes {}\n\n{}\n{}{}", report["server"]["version"].AsString(),
                  Served(report), Fields(report), Backends(report));
  for (const Value& finding : report["webhooks"].Items()) {
    text += fmt::format("\n{}\n", finding.AsString());
  }
  return text;
}

bool AnyWorks(const Value& report) {
  for (const Value& backend : report["backends"].Items()) {
    if (backend["works"].AsBool()) return true;
  }
  return false;
}

base::Result<Value> Examine(const DoctorOptions& options) {
  COPPICE_ASSIGN(const operators::Config config, ReadOperatorConfig(options.config_file));
  COPPICE_ASSIGN(const auto backends, backends::BackendSet::Make(config.backends));
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(options.cluster, executor));
  COPPICE_ASSIGN(Value report, backends::Diagnose(*client, *backends, executor.Now()));
  for (const std::string& finding : operators::webhooks::UnservedWebhooks(*client)) {
    report.Mutable("webhooks").Append(finding);
  }
  return report;
}

}  // namespace

int RunDoctor(const DoctorOptions& options) {
  const auto report = Examine(options);
  if (!report) return Fail(report.error());
  Print(*report, options.format, &Text);
  return AnyWorks(*report) ? 0 : 1;
}

}  // namespace coppice::cli
