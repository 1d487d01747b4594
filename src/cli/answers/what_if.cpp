#include "cli/answers/what_if.h"

#include "api/edit/any.h"
#include "api/view/answers.h"
#include "cli/answers/expand_work.h"
#include "cli/answers/live.h"
#include "cli/common/files.h"
#include "cli/show/views.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "services/scheduler/answers/answer_json.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace scheduler = services::scheduler;

base::Result<std::vector<Value>> ReadWork(const WhatIfOptions& options) {
  std::vector<Value> work;
  for (const std::string& file : options.files) {
    COPPICE_ASSIGN(const std::string text, ReadFile(file));
    auto documents = json::ParseYamlDocuments(text);
    if (!documents) return documents.error().During(file);
    for (Value& document : *documents) {
      if (kube::Kind(document).empty()) {
        return base::InvalidArgument("a document has no kind").During(file);
      }
      if (kube::Namespace(document).empty() && !options.ns.empty()) {
        edit::any::Object(document).metadata().set_namespace_(options.ns);
      }
      work.push_back(std::move(document));
    }
  }
  if (!options.files.empty() && work.empty()) {
    return base::InvalidArgument("the files hold no documents");
  }
  return work;
}

}  // namespace

base::Result<Value> ReadWhatIfAnswer(AskedCluster& cluster, const WhatIfOptions& options) {
  scheduler::WhatIfRequest request = options.request;
  COPPICE_ASSIGN(const std::vector<Value> work, ReadWork(options));
  if (!work.empty()) {
    COPPICE_ASSIGN(request.submit, ExpandWork(work, cluster.Surroundings(), cluster.now()));
  }
  COPPICE_ASSIGN(const engine::WhatIf question,
                 scheduler::ReadWhatIf(request, *cluster.engine().inputs(), cluster.Priorities(),
                                       cluster.node_pool_key()));
  COPPICE_ASSIGN(const auto answers, AskWhatIf(cluster.engine(), {question}, cluster.now()));
  return scheduler::WhatIfJson(answers.front());
}

int RunWhatIf(const WhatIfOptions& options) {
  Value answer;
  const base::Status asked = AskCluster(options.asked, [&](AskedCluster& cluster) -> base::Status {
    COPPICE_ASSIGN(answer, ReadWhatIfAnswer(cluster, options));
    return {};
  });
  if (!asked) {
    Fail(asked.error());
    return kCannotAsk;
  }
  Print(answer, options.format, FormatWhatIf);
  return view::answers::WhatIf(answer).runs() ? 0 : kDoesNotRun;
}

}  // namespace coppice::cli
