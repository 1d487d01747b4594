#include "cli/show/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "cli/common/list_or_none.h"
#include "cli/show/pod_gpus.h"
#include "cli/show/top_levels.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace answers = view::answers;

constexpr size_t kManyNodes = 32;

double AmountOf(view::Quantities quantities, std::string_view name) {
  const Value& value = quantities[name];
  if (value.IsNumber()) return value.AsDouble();
  const auto parsed = base::Quantity::Parse(value.AsString());
  return parsed ? parsed->ToDouble() : 0;
}

// What the pods of a node use.
struct NodeUse {
  int64_t pods = 0;
  double gpus = 0;      // Whole GPUs, shared ones by their reservation pod.
  double shared = 0;    // GPUs that are shared.
  double portions = 0;  // What is taken of those.
  double cpu = 0;
  double memory = 0;
};

void AddUse(const Value& object, NodeUse& use) {
  ++use.pods;
  const double whole = WholeGpusOf(object);
  use.gpus += whole;
  if (kube::Namespace(object) == services::names::kReservationName) use.shared += whole;
  use.portions += GpusOf(object) - whole;
  for (const auto container : view::core::Pod(object).spec().containers()) {
    const view::Quantities requests = container.resources().requests();
    use.cpu += AmountOf(requests, "cpu");
    use.memory += AmountOf(requests, "memory");
  }
}

std::string_view StateOf(view::core::Node node) {
  if (!kube::ConditionIs(node.Json(), "Ready", "True")) return "NotReady";
  return node.spec().unschedulable() ? "Cordoned" : "Ready";
}

class TopReader {
 public:
  explicit TopReader(kube::Client& client) : client_(client) {}

  base::Result<Value> Read(const std::string& selector) {
    auto nodes = client_.List(api::kNodes, {.label_selector = selector});
    if (!nodes) return nodes.error().During("listing nodes");
    COPPICE_ASSIGN(levels_, ReadTopLevels(client_));
    COPPICE_TRY(ReadUse());
    std::sort(nodes->items.begin(), nodes->items.end(), [](const Value& a, const Value& b) {
      return InNumericOrder(kube::Name(a), kube::Name(b));
    });
    Value out;
    const edit::answers::Top top(out);
    top.set_nodes(Value::Array()).set_domains(Value::Array());
    for (const Value& node : nodes->items) AddNode(view::core::Node(node), top.add_nodes());
    for (const answers::TopNode node : answers::Top(out).nodes()) Count(node);
    AddDomains(top);
    return out;
  }

 private:
  // "node-2" before "node-10".
  static bool InNumericOrder(std::string_view a, std::string_view b) {
    const auto digits = [](std::string_view text) {
      const size_t last = text.find_last_not_of("0123456789");
      return text.substr(last == text.npos ? 0 : last + 1);
    };
    const std::string_view x = digits(a), y = digits(b);
    a.remove_suffix(x.size());
    b.remove_suffix(y.size());
    return std::make_tuple(a, x.size(), x) < std::make_tuple(b, y.size(), y);
  }

  base::Status ReadUse() {
    COPPICE_ASSIGN(const auto pods, ListOrNone(client_, api::kPods, ""));
    for (const Value& object : pods) {
      const view::core::Pod pod(object);
      const std::string_view phase = pod.status().phase(), node = pod.spec().nodeName();
      const bool ended = phase == "Succeeded" || phase == "Failed";
      if (!ended && !node.empty()) AddUse(object, use_[std::string(node)]);
    }
    return {};
  }

  void AddNode(view::core::Node node, edit::answers::TopNode shown) {
    const std::string name(kube::Name(node.Json()));
    const NodeUse use = use_[name];
    const view::Quantities has = node.status().allocatable();
    const double gpus = AmountOf(has, services::names::kGpuResource);
    const bool takes_pods = StateOf(node) == "Ready";
    const double hole = takes_pods ? std::max(gpus - use.gpus, 0.0) : 0;
    const double rest = takes_pods ? std::max(use.shared - use.portions, 0.0) : 0;
    shown.set_name(name)
        .set_state(StateOf(node))
        .set_domain(PathOf(node))
        .set_gpus(gpus)
        .set_free(hole + rest)
        .set_hole(hole)
        .set_pods(use.pods)
        .set_maxPods(static_cast<int64_t>(AmountOf(has, "pods")))
        .set_cpu(AmountOf(has, "cpu"))
        .set_freeCpu(std::max(AmountOf(has, "cpu") - use.cpu, 0.0))
        .set_memory(AmountOf(has, "memory"))
        .set_freeMemory(std::max(AmountOf(has, "memory") - use.memory, 0.0));
  }

  // "b0/b0-r1": its domain of every level, as far as it has labels.
  std::string PathOf(view::core::Node node) const {
    std::string path;
    for (const TopLevel& level : levels_) {
      const std::string_view value = kube::Label(node.Json(), level.label);
      if (value.empty()) break;
      path.append(path.empty() ? "" : "/").append(value);
    }
    return path;
  }

  // The domains of a node: the cluster (""), then every prefix of its path.
  void Count(answers::TopNode node) {
    const std::string_view path = node.domain();
    CountIn("", node);
    for (size_t end = 0; !path.empty() && end != path.npos;) {
      end = path.find('/', end + 1);
      CountIn(path.substr(0, end), node);
    }
  }

  void CountIn(std::string_view path, answers::TopNode node) {
    Value& domain = domains_[std::string(path)];
    const edit::answers::TopDomain edit(domain);
    const answers::TopDomain now(domain);
    const bool empty = node.gpus() > 0 && node.hole() == node.gpus();
    if (node.hole() > now.hole()) edit.set_holeNode(node.name());
    edit.set_nodes(now.nodes() + 1)
        .set_gpus(now.gpus() + node.gpus())
        .set_free(now.free() + node.free())
        .set_hole(std::max(now.hole(), node.hole()))
        .set_pods(now.pods() + node.pods())
        .set_emptyNodes(now.emptyNodes() + (empty ? 1 : 0));
  }

  // Paths are sorted, so that parents come before their children.
  void AddDomains(edit::answers::Top top) {
    Value all = Value::Array();
    for (auto& [path, domain] : domains_) {
      const auto depth = path.empty() ? 0 : std::count(path.begin(), path.end(), '/') + 1;
      const size_t slash = path.rfind('/');
      edit::answers::TopDomain(domain)
          .set_depth(depth)
          .set_level(depth == 0 ? "cluster" : levels_[static_cast<size_t>(depth) - 1].name)
          .set_name(slash == path.npos ? path : path.substr(slash + 1));
      all.Append(domain);
    }
    top.set_domains(std::move(all));
  }

  kube::Client& client_;
  std::vector<TopLevel> levels_;
  std::map<std::string, NodeUse> use_;
  std::map<std::string, Value> domains_;
};

std::string HoleText(double hole, std::string_view node) {
  if (hole == 0) return "-";
  return node.empty() ? Number(hole) : fmt::format("{} on {}", Number(hole), node);
}

std::string DomainsText(answers::Top top, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows = {
      {"DOMAIN", "NODES", "EMPTY", "GPUS", "FREE", "PODS", "LARGEST HOLE"}};
  for (const answers::TopDomain domain : top.domains()) {
    const std::string indent(static_cast<size_t>(2 * domain.depth()), ' ');
    const std::string_view name = domain.depth() == 0 ? "cluster" : domain.name();
    rows.push_back({fmt::format("{}{}", indent, name), fmt::format("{}", domain.nodes()),
                    fmt::format("{}", domain.emptyNodes()), Number(domain.gpus()),
                    Number(domain.free()), fmt::format("{}", domain.pods()),
                    HoleText(domain.hole(), domain.holeNode())});
  }
  return AlignColumns(rows, options.Width());
}

Colour StateColour(std::string_view state) {
  if (state == "NotReady") return Colour::kBad;
  return state == "Ready" ? Colour::kNone : Colour::kBusy;
}

std::string NodesText(answers::Top top, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"NODE", "GPUS", "FREE", "LARGEST HOLE", "PODS"}};
  if (options.wide) rows[0].insert(rows[0].end(), {"CPU", "FREE", "MEM GIB", "FREE"});
  rows[0].insert(rows[0].end(), {"DOMAIN", "STATE"});
  for (const answers::TopNode node : top.nodes()) {
    std::vector<std::string> row = {std::string(node.name()), Number(node.gpus()),
                                    Number(node.free()), HoleText(node.hole(), ""),
                                    fmt::format("{}", node.pods())};
    if (options.wide) {
      const auto gib = [](double bytes) { return Number(std::trunc(bytes / (1 << 30))); };
      row.insert(row.end(), {Number(node.cpu()), Number(node.freeCpu()), gib(node.memory()),
                             gib(node.freeMemory())});
    }
    row.emplace_back(node.domain());
    row.push_back(Paint(options.terminal, StateColour(node.state()), node.state()));
    rows.push_back(std::move(row));
  }
  return AlignColumns(rows, options.Width());
}

}  // namespace

base::Result<Value> ReadTop(kube::Client& client, const std::string& selector) {
  return TopReader(client).Read(selector);
}

std::string FormatTop(const Value& document, TopPart part, const TextOptions& options) {
  const answers::Top top(document);
  if (top.nodes().empty()) return "no node is here\n";
  if (part == TopPart::kNodes) return NodesText(top, options);
  if (part == TopPart::kDomains) return DomainsText(top, options);
  if (top.nodes().size() > kManyNodes && !options.wide) {
    return DomainsText(top, options) + "\ncoppice top nodes lists the nodes\n";
  }
  return DomainsText(top, options) + "\n" + NodesText(top, options);
}

}  // namespace coppice::cli
