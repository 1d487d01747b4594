#include "sim/stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/bootstrap.h"
#include "sim/node_agent.h"

namespace coppice::sim {
namespace {

struct Component {
  std::string name;
  void (*add)(kube::Manager& manager);
};

const std::vector<Component>& Components() {
  static const std::vector<Component> components = {
      {"nodes", [](kube::Manager& manager) { AddNodeAgent(manager); }},
  };
  return components;
}

}  // namespace

const std::vector<std::string>& Stack::ComponentNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Component& component : Components()) out.push_back(component.name);
    return out;
  }();
  return names;
}

base::Result<std::set<std::string>> Stack::ParseComponents(std::string_view text) {
  const std::vector<std::string>& known = ComponentNames();
  if (text == "all") return std::set<std::string>(known.begin(), known.end());
  std::set<std::string> out;
  while (!text.empty() && text != "none") {
    const size_t comma = text.find(',');
    const std::string name(text.substr(0, comma));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return base::InvalidArgument(fmt::format("unknown component \"{}\"; known are {}", name,
                                               fmt::join(known, ", ")));
    }
    out.insert(name);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return out;
}

Stack::Stack(kube::Executor& executor, StackOptions options)
    : executor_(executor), options_(std::move(options)) {}

Stack::~Stack() { Stop(); }

base::Result<std::unique_ptr<Stack>> Stack::Make(kube::Executor& executor, StackOptions options) {
  std::unique_ptr<Stack> stack(new Stack(executor, std::move(options)));
  COPPICE_TRY(stack->Prepare());
  return stack;
}

base::Status Stack::Prepare() {
  COPPICE_ASSIGN(server_,
                 server::ApiServer::Make({.clock = &executor_.clock(),
                                          .data_dir = options_.data_dir,
                                          .kubernetes_version = options_.kubernetes_version,
                                          .seed = options_.seed}));
  client_ = server_->NewClient(executor_);
  COPPICE_TRY(Bootstrap(*client_, options_.shape));
  server_->StartControllers(executor_);
  return {};
}

void Stack::AddComponents() {
  for (const Component& component : Components()) {
    if (options_.components.contains(component.name)) component.add(*manager_);
  }
}

void Stack::Start() {
  Stop();
  manager_ = kube::Manager::Make(*client_, executor_);
  AddComponents();
  manager_->Start();
}

void Stack::Stop() {
  if (!manager_) return;
  manager_->Stop();
  manager_.reset();
}

}  // namespace coppice::sim
