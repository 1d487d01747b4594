// The tree for people.
#include <fmt/format.h>

#include <map>
#include <set>

#include "api/view/answers.h"
#include "cli/show/tree_view.h"
#include "cli/text/age.h"
#include "cli/text/output.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace answers = view::answers;
using PodList = view::List<answers::TreePod>;

constexpr size_t kPodsShown = 12;

bool IsFinePod(answers::TreePod pod) { return pod.ready() || pod.phase() == "Succeeded"; }

std::string PodState(answers::TreePod pod) {
  const std::string_view state = pod.phase("Pending");
  return state == "Running" ? (pod.ready() ? "Ready" : "Starting") : std::string(state);
}

Colour PodColour(std::string_view state) {
  if (state == "Ready" || state == "Succeeded") return Colour::kGood;
  return state == "Failed" ? Colour::kBad : Colour::kBusy;
}

std::string GpuText(double gpus) {
  return gpus == 0 ? "" : fmt::format("{} GPU{}", Number(gpus), gpus == 1 ? "" : "s");
}

// "16 GPUs on 2 nodes in b0-r0": where the pods are that have a node.
std::string PlacesText(PodList pods) {
  std::set<std::string> nodes, domains;
  double gpus = 0;
  for (const answers::TreePod pod : pods) {
    if (!pod.has_node() || pod.phase() == "Succeeded" || pod.phase() == "Failed") continue;
    nodes.emplace(pod.node());
    if (pod.has_domain()) domains.emplace(pod.domain());
    gpus += pod.gpus();
  }
  if (nodes.empty()) return "";
  std::string text = GpuText(gpus);
  text += text.empty() ? "on " : " on ";
  text += nodes.size() == 1 ? *nodes.begin() : fmt::format("{} nodes", nodes.size());
  if (domains.size() == 1) text += fmt::format(" in {}", *domains.begin());
  if (domains.size() > 1) text += fmt::format(" in {} racks", domains.size());
  return text;
}

std::string ReadyText(PodList pods) {
  int64_t ready = 0, done = 0;
  for (const answers::TreePod pod : pods) {
    done += pod.phase() == "Succeeded" ? 1 : 0;
    ready += pod.ready() ? 1 : 0;
  }
  std::string text = fmt::format("{}/{} ready", ready, static_cast<int64_t>(pods.size()) - done);
  return done == 0 ? text : fmt::format("{}, {} done", text, done);
}

bool AllFine(PodList pods) { return std::all_of(pods.begin(), pods.end(), IsFinePod); }

std::string JoinNotes(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) {
    if (note.empty()) continue;
    out += (out.empty() ? "" : ", ") + note;
  }
  return out;
}

// Prints nested lines with box-drawing branches.
class TreePrinter {
 public:
  explicit TreePrinter(const TextOptions& options) : options_(options) {}

  std::string Print(answers::Tree tree) {
    std::set<std::string_view> spaces;
    for (const answers::TreeSet set : tree.sets()) spaces.insert(set.namespace_());
    for (const answers::TreeGroup group : tree.groups()) spaces.insert(group.namespace_());
    namespaces_ = spaces.size() > 1;
    rows_.push_back({"NAME", "STATE", "QUEUE", "PRIORITY", "AGE", "WHERE"});
    for (const answers::TreeSet set : tree.sets()) Set(set);
    for (const answers::TreeGroup group : tree.groups()) Group(group);
    if (rows_.size() == 1) return "nothing is here; -A shows all namespaces\n";
    return AlignColumns(rows_, options_.Width());
  }

 private:
  // The columns between the name and the note.
  struct Columns {
    std::string state;
    Colour colour = Colour::kNone;
    std::string_view queue, priority, created;
  };

  void Row(std::string name, const Columns& columns, std::string note) {
    rows_.push_back({std::move(name), Paint(options_.terminal, columns.colour, columns.state),
                     std::string(columns.queue), std::string(columns.priority),
                     AgeOf(columns.created, options_.now), std::move(note)});
  }

  std::string Top(std::string_view ns, std::string_view name) const {
    return namespaces_ ? fmt::format("{}/{}", ns, name) : std::string(name);
  }

  static Colour Judge(bool fine) { return fine ? Colour::kGood : Colour::kBusy; }

  void Set(answers::TreeSet set) {
    const bool fine = set.available() >= set.replicas();
    Row(Top(set.namespace_(), fmt::format("set/{}", set.name())),
        {fmt::format("{}/{} available", set.available(), set.replicas()), Judge(fine), set.queue(),
         set.priority(), set.created()},
        UpdateNote(set));
    const auto gangs = set.gangs();
    for (size_t i = 0; i < gangs.size(); ++i) Gang(gangs.At(i), i + 1 == gangs.size());
  }

  static std::string UpdateNote(answers::TreeSet set) {
    const answers::TreeUpdate update = set.update();
    if (!update) return "";
    std::string note = fmt::format("updating: {} of {} replicas, {}/{} cliques, {}/{} groups",
                                   set.updated(), set.replicas(), update.cliques(),
                                   update.ofCliques(), update.groups(), update.ofGroups());
    if (update.has_replica()) note += fmt::format(", now replica {}", update.replica());
    return note;
  }

  void Gang(answers::TreeGang gang, bool last) {
    std::string note(gang.scheduler());
    if (!gang.reason().empty()) note += fmt::format(": {}", gang.reason());
    Row(fmt::format("{} gang/{}", last ? "└─" : "├─", gang.name()),
        {std::string(gang.phase()), Judge(gang.phase() == "Running"), {}, {}, gang.created()},
        std::move(note));
    const std::string indent = last ? "   " : "│  ";
    const auto cliques = gang.groups();
    for (size_t i = 0; i < cliques.size(); ++i) {
      const bool last_clique = i + 1 == cliques.size();
      Clique(cliques.At(i), indent, last_clique);
      Pods(cliques.At(i).pods(), indent + (last_clique ? "   " : "│  "));
    }
  }

  void Clique(answers::TreeClique clique, const std::string& indent, bool last) {
    const bool fine = AllFine(clique.pods()) && !clique.has_breachedSince();
    Row(fmt::format("{}{} {}", indent, last ? "└─" : "├─", clique.name()),
        {ReadyText(clique.pods()), Judge(fine), {}, {}, {}},
        JoinNotes({PlacesText(clique.pods()), fine ? "" : CliqueNote(clique)}));
  }

  static std::string CliqueNote(answers::TreeClique clique) {
    if (!clique.has_scheduled()) return fmt::format("min {}", clique.minReplicas());
    std::string note = fmt::format("min {}, {} scheduled, {} updated", clique.minReplicas(),
                                   clique.scheduled(), clique.updated());
    if (clique.gated() > 0) note += fmt::format(", {} gated", clique.gated());
    if (clique.has_breachedSince()) {
      note += fmt::format(", below its minimum since {}", clique.breachedSince());
    }
    if (clique.has_terminationDelay()) {
      note += fmt::format(" (ends after {})", clique.terminationDelay());
    }
    return note;
  }

  void Group(answers::TreeGroup group) {
    const bool fine = AllFine(group.pods());
    Row(Top(group.namespace_(), services::scheduler::ShownAs(group.kind(), group.name())),
        {ReadyText(group.pods()), Judge(fine), group.queue(), group.priority(), group.created()},
        JoinNotes({PlacesText(group.pods()), fine ? "" : std::string(group.reason())}));
    if (group.kind() != "Pod") Pods(group.pods(), "");
  }

  // Those that are fine are in the count of the line above.
  void Pods(PodList pods, const std::string& indent) {
    std::vector<answers::TreePod> shown;
    for (const answers::TreePod pod : pods) {
      if (options_.wide || !IsFinePod(pod)) shown.push_back(pod);
    }
    const size_t most = options_.wide ? shown.size() : std::min(shown.size(), kPodsShown);
    for (size_t i = 0; i < most; ++i) {
      Pod(shown[i], indent + (i + 1 == shown.size() ? "└─ " : "├─ "));
    }
    if (most < shown.size()) {
      Row(fmt::format("{}└─ … {} more", indent, shown.size() - most), {}, "");
    }
  }

  void Pod(answers::TreePod pod, const std::string& branch) {
    const std::string state = PodState(pod);
    std::string where(pod.node());
    if (pod.has_domain()) where += fmt::format(" ({})", pod.domain());
    Row(branch + std::string(pod.name()), {state, PodColour(state), {}, {}, pod.created()},
        JoinNotes({GpuText(pod.gpus()), where}));
  }

  const TextOptions options_;
  bool namespaces_ = false;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string FormatTree(const Value& tree, const TextOptions& options) {
  return TreePrinter(options).Print(answers::Tree(tree));
}

}  // namespace coppice::cli
