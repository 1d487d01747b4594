#include "backends/volcano/upstream_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "api/selectors/names.h"
#include "api/view/grove.h"
#include "backends/volcano/volcano.h"

namespace coppice::backends::volcano {
namespace {

constexpr std::string_view kDefaultQueue = "default";

std::string QueueIn(view::Map<std::string_view> annotations) {
  const std::string_view text = annotations[kQueueAnnotation];
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1));
}

std::string Problem(std::string_view queue) {
  if (queue.empty()) return "";
  return fmt::format("{}", fmt::join(api::Dns1123SubdomainProblems(queue), "; "));
}

// Collects the queues of the cliques and their problems.
class Resolution {
 public:
  explicit Resolution(std::string of_set) : of_set_(std::move(of_set)) {}

  void Add(size_t index, const std::string& of_clique) {
    const std::string where =
        fmt::format("spec.template.cliques[{}].annotations[{}]: ", index, kQueueAnnotation);
    if (const std::string problem = Problem(of_clique); !problem.empty()) {
      problems_.push_back(where + problem);
    }
    if (!of_set_.empty() && !of_clique.empty() && of_set_ != of_clique) {
      problems_.push_back(
          fmt::format("{}conflicting volcano queue annotations: PodCliqueSet has "
                      "\"{}\", PodClique has \"{}\"",
                      where, of_set_, of_clique));
      return;
    }
    std::string queue = of_clique.empty() ? of_set_ : of_clique;
    if (queue.empty()) queue = kDefaultQueue;
    if (queue_.empty()) queue_ = queue;
    if (queue_ != queue) {
      problems_.push_back(where +
                          "all PodCliques in a PodCliqueSet using volcano scheduler must "
                          "resolve to the same queue");
    }
  }

  base::Result<std::string> Take() const {
    if (problems_.empty()) return queue_.empty() ? std::string(kDefaultQueue) : queue_;
    const std::string all = fmt::format("{}", fmt::join(problems_, ", "));
    return base::Error(base::ErrorCode::kInvalid,
                       problems_.size() == 1 ? all : fmt::format("[{}]", all));
  }

 private:
  const std::string of_set_;
  std::string queue_;
  std::vector<std::string> problems_;
};

}  // namespace

base::Result<std::string> UpstreamQueue(const json::Value& object) {
  const view::grove::PodCliqueSet set(object);
  const std::string of_set = QueueIn(set.metadata().annotations());
  if (const std::string problem = Problem(of_set); !problem.empty()) {
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("metadata.annotations[{}]: {}", kQueueAnnotation, problem));
  }
  Resolution resolution(of_set);
  const auto cliques = set.spec().template_().cliques();
  for (size_t i = 0; i < cliques.size(); ++i) {
    resolution.Add(i, QueueIn(cliques.At(i).annotations()));
  }
  return resolution.Take();
}

}  // namespace coppice::backends::volcano
