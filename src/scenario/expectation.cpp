#include "scenario/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/view/core.h"
#include "api/view/scenario.h"
#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::scenario {
namespace {

using json::Value;

const Value kNone;
constexpr size_t kMaxDescribed = 20;

// Takes the next key off the path: up to a dot, or what stands in brackets.
std::string_view NextKey(std::string_view& path) {
  if (path.starts_with('[')) {
    const size_t end = path.find(']');
    const std::string_view key = path.substr(1, end - 1);
    path.remove_prefix(std::min(path.size(), end + 1));
    if (path.starts_with('.')) path.remove_prefix(1);
    return key;
  }
  const size_t end = std::min(path.find('.'), path.find('['));
  const std::string_view key = path.substr(0, end);
  path.remove_prefix(std::min(path.size(), end));
  if (path.starts_with('.')) path.remove_prefix(1);
  return key;
}

bool Matches(const Value& object, const Value& where) {
  for (const json::Member& member : where.Members()) {
    const Value& actual = AtPath(object, member.name());
    if (member.value.AsString() == "*") {
      if (actual.IsNull()) return false;
    } else if (!(actual == member.value)) {
      return false;
    }
  }
  return true;
}

// What there is, for the reader of a failed scenario.
std::string Describe(const std::vector<Value>& objects) {
  std::vector<std::string> lines;
  for (const Value& object : objects) {
    const view::core::Pod pod(object);  // Others have no node, but a phase at times.
    const std::string_view phase = pod.status().phase(), node = pod.spec().nodeName();
    lines.push_back(fmt::format("{} ({}{}{})", kube::Name(object), phase.empty() ? "-" : phase,
                                node.empty() ? "" : " on ", node));
    if (lines.size() == kMaxDescribed) break;
  }
  return fmt::format("{}", fmt::join(lines, ", "));
}

// When the pod became ready; "" while it is not. Texts of this form compare like times.
std::string ReadySince(const Value& pod) {
  if (!kube::ConditionIs(pod, "Ready", "True")) return "";
  const view::core::PodCondition ready(kube::Condition(pod, "Ready"));
  return std::string(ready.lastTransitionTime());
}

class Checker {
 public:
  Checker(kube::Client& client, view::scenario::Expectation wanted, const Remembered& remembered)
      : client_(client), wanted_(wanted), remembered_(remembered) {}

  // "" when it holds, else what is wrong.
  base::Result<std::string> Run() {
    const auto resource = api::FindResource(wanted_.kind(), wanted_.apiVersion());
    if (!resource) return base::InvalidArgument(fmt::format("unknown kind {}", wanted_.kind()));
    const std::string ns(resource->namespaced ? wanted_.ns("default") : "");
    if (wanted_.has_name()) return One(*resource, {ns, std::string(wanted_.name())});
    COPPICE_ASSIGN(auto list,
                   client_.List(*resource, {.ns = ns == "*" ? "" : ns,
                                            .label_selector = std::string(wanted_.labels())}));
    return Many(*resource, list.items);
  }

 private:
  base::Result<std::string> One(const api::Resource& resource, const api::ObjectKey& key) {
    const auto object = client_.Get(resource, key);
    const bool missing = object.Is(base::ErrorCode::kNotFound);
    if (!object && !missing) return object.error();
    const std::string what = resource.kind + " " + key.ToString();
    if (wanted_.absent()) return missing ? std::string() : what + " exists";
    if (missing) return what + " does not exist";
    if (!Contains(*object, wanted_.has())) {
      return fmt::format("{} is {}, wanted {}", what, json::Write(*object),
                         json::Write(wanted_.has()));
    }
    if (!Matches(*object, wanted_.where().Json())) {
      return fmt::format("{} does not match {}: {}", what, json::Write(wanted_.where().Json()),
                         json::Write(*object));
    }
    return std::string();
  }

  base::Result<std::string> Many(const api::Resource& resource, const std::vector<Value>& all) {
    std::vector<Value> matching;
    const Value& where = wanted_.where().Json();
    for (const Value& object : all) {
      if (Matches(object, where) && Contains(object, wanted_.has())) matching.push_back(object);
    }
    const std::string what = fmt::format("{} {} {}", resource.kind, wanted_.labels(),
                                         where.IsNull() ? "" : json::Write(where));
    const auto count = static_cast<int64_t>(matching.size());
    if (wanted_.has_count() && count != wanted_.count()) {
      return fmt::format("{}: {} found, wanted {}; there are {}", what, count, wanted_.count(),
                         Describe(all));
    }
    if (wanted_.has_atLeast() && count < wanted_.atLeast()) {
      return fmt::format("{}: {} found, wanted at least {}", what, count, wanted_.atLeast());
    }
    if (wanted_.all() && matching.size() != all.size()) {
      return fmt::format("{}: only {} of {}", what, count, all.size());
    }
    if (wanted_.has_distinct()) return Distinct(what, matching);
    if (wanted_.has_kept()) return Kept(what, matching);
    if (wanted_.has_gone()) return Gone(what, matching);
    if (wanted_.has_readyAfter()) return ReadyAfter(what, matching);
    return std::string();
  }

  std::set<std::string> RememberedAs(std::string_view name) const {
    const auto found = remembered_.find(name);
    return found == remembered_.end() ? std::set<std::string>() : found->second;
  }

  std::string Kept(const std::string& what, const std::vector<Value>& objects) const {
    std::set<std::string> missing = RememberedAs(wanted_.kept());
    for (const Value& object : objects) missing.erase(std::string(kube::Uid(object)));
    if (missing.empty()) return "";
    return fmt::format("{}: {} of \"{}\" are gone", what, missing.size(), wanted_.kept());
  }

  std::string Gone(const std::string& what, const std::vector<Value>& objects) const {
    const std::set<std::string> old = RememberedAs(wanted_.gone());
    for (const Value& object : objects) {
      if (!old.contains(std::string(kube::Uid(object)))) continue;
      return fmt::format("{}: {} is still one of \"{}\"", what, kube::Name(object), wanted_.gone());
    }
    return "";
  }

  base::Result<std::string> ReadyAfter(const std::string& what,
                                       const std::vector<Value>& objects) const {
    const view::scenario::ReadyAfter others = wanted_.readyAfter();
    COPPICE_ASSIGN(const auto list,
                   client_.List(api::kPods, {.ns = std::string(wanted_.ns("default")),
                                             .label_selector = std::string(others.labels())}));
    std::vector<std::string> times;
    for (const Value& pod : list.items) {
      if (std::string since = ReadySince(pod); !since.empty()) times.push_back(std::move(since));
    }
    std::sort(times.begin(), times.end());
    const auto count = static_cast<size_t>(others.count(1));
    if (times.size() < count) return fmt::format("{}: too few others are ready", what);
    for (const Value& pod : objects) {
      const std::string since = ReadySince(pod);
      if (since.empty()) return fmt::format("{} is not ready", kube::Name(pod));
      if (since >= times[count - 1]) continue;
      return fmt::format("{} was ready at {}, before {} others were at {}", kube::Name(pod), since,
                         count, times[count - 1]);
    }
    return std::string();
  }

  // How many different values of a path, or of the label of the pods' nodes.
  base::Result<std::string> Distinct(const std::string& what, const std::vector<Value>& objects) {
    std::set<std::string> values;
    for (const Value& object : objects) {
      if (!wanted_.has_nodeLabel()) {
        values.insert(json::Write(AtPath(object, wanted_.path())));
        continue;
      }
      COPPICE_ASSIGN(
          const Value node,
          client_.Get(api::kNodes, {"", std::string(view::core::Pod(object).spec().nodeName())}));
      values.insert(std::string(kube::Label(node, wanted_.nodeLabel())));
    }
    const auto count = static_cast<int64_t>(values.size());
    if (count == wanted_.distinct()) return std::string();
    return fmt::format("{}: {} distinct values ({}), wanted {}", what, count,
                       fmt::join(values, ", "), wanted_.distinct());
  }

  kube::Client& client_;
  const view::scenario::Expectation wanted_;
  const Remembered& remembered_;
};

}  // namespace

const Value& AtPath(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (!path.empty()) {
    const std::string_view key = NextKey(path);
    if (at->IsArray()) {
      size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (error != std::errc()) return kNone;
      at = &at->At(index);
    } else {
      at = &(*at)[key];
    }
  }
  return *at;
}

bool Contains(const Value& whole, const Value& part) {
  if (part.IsNull()) return true;
  if (part.IsObject()) {
    for (const json::Member& member : part.Members()) {
      if (!whole.Has(member.name()) || !Contains(whole[member.name()], member.value)) return false;
    }
    return true;
  }
  if (!part.IsArray()) return whole == part;
  if (whole.size() < part.size()) return false;
  // Each wanted item must be contained in some item: order does not matter in a scenario.
  for (const Value& item : part.Items()) {
    bool found = false;
    for (const Value& candidate : whole.Items()) found = found || Contains(candidate, item);
    if (!found) return false;
  }
  return true;
}

base::Result<std::string> CheckExpectation(kube::Client& client, const Value& expectation,
                                           const Remembered& remembered) {
  return Checker(client, view::scenario::Expectation(expectation), remembered).Run();
}

}  // namespace coppice::scenario
