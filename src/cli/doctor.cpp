#include "cli/doctor.h"

#include <fmt/format.h>

#include "api/key/doctor.h"
#include "api/view/doctor.h"
#include "backends/tools/doctor.h"
#include "cli/common/fail.h"
#include "cli/run/operator_config.h"
#include "cli/text/print.h"
#include "kube/executor/thread_executor.h"
#include "operator/webhooks/findings.h"

namespace coppice::cli {
namespace {

using json::Value;
using view::doctor::Report;

std::string Joined(view::List<std::string_view> items) {
  return fmt::format("{}", fmt::join(items.begin(), items.end(), ", "));
}

std::string Served(Report report) {
  std::vector<std::vector<std::string>> rows = {{"API", "VERSIONS"}};
  for (const view::doctor::Api api : report.apis()) {
    rows.push_back({std::string(api.resource()), Joined(api.versions())});
  }
  for (const std::string_view name : report.missing()) rows.push_back({std::string(name), "-"});
  return AlignColumns(rows);
}

std::string Fields(Report report) {
  std::vector<std::vector<std::string>> rows = {{"OPTIONAL FIELD", "KEPT"}};
  for (const view::doctor::KeptField field : report.fields()) {
    rows.push_back(
        {fmt::format("{} {}", field.resource(), field.field()), field.kept() ? "yes" : "no"});
  }
  return rows.size() == 1 ? std::string() : AlignColumns(rows) + "\n";
}

// "native", or the first word of the outcome.
std::string Short(std::string_view wish) { return std::string(wish.substr(0, wish.find(':'))); }

std::string Backends(Report report) {
  std::vector<std::vector<std::string>> rows = {{"BACKEND", "SCHEDULER", "WORKS", "SURPLUS",
                                                 "REQUIRED GANG", "PREFERRED GANG",
                                                 "REQUIRED GROUP", "PREFERRED GROUP"}};
  std::string reasons;
  for (const view::doctor::Backend backend : report.backends()) {
    const view::doctor::Wishes wishes = backend.wishes();
    const bool works = backend.works();
    // What the cluster supports is worth knowing before the scheduler is installed.
    const bool absent = !works && !backend.schedulerSeen(true);
    std::vector<std::string> row = {std::string(backend.name()),
                                    std::string(backend.schedulerName()), works ? "yes" : "no"};
    for (const std::string_view wish :
         {wishes.surplus(), wishes.requiredGang(), wishes.preferredGang(), wishes.requiredGroup(),
          wishes.preferredGroup()}) {
      row.push_back(works || absent ? Short(wish) : "-");
    }
    rows.push_back(std::move(row));
    if (!works) reasons += fmt::format("{}: {}\n", backend.name(), backend.reason());
    if (!backend.missingRights().empty()) {
      reasons +=
          fmt::format("{}: missing rights: {}\n", backend.name(), Joined(backend.missingRights()));
    }
  }
  return AlignColumns(rows) + (reasons.empty() ? "" : "\n" + reasons) +
         "\n-o yaml says why something is refused, dropped or approximated.\n";
}

std::string Text(const Value& document) {
  const Report report(document);
  std::string text = fmt::format("Kubernetes {}\n\n{}\n{}{}", report.server().version(),
                                 Served(report), Fields(report), Backends(report));
  for (const std::string_view finding : report.webhooks()) text += fmt::format("\n{}\n", finding);
  return text;
}

bool AnyWorks(Report report) {
  for (const view::doctor::Backend backend : report.backends()) {
    if (backend.works()) return true;
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
    report.Mutable(key::doctor::Report::webhooks).Append(finding);
  }
  return report;
}

}  // namespace

int RunDoctor(const DoctorOptions& options) {
  const auto report = Examine(options);
  if (!report) return Fail(report.error());
  Print(*report, options.format, &Text);
  return AnyWorks(Report(*report)) ? 0 : 1;
}

}  // namespace coppice::cli
