#include "cli/common/view_flags.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/common/fail.h"
#include "cli/common/wait.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {
namespace {

constexpr base::Duration kLookAgain = std::chrono::seconds(2);
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

struct Reading {
  json::Value document;
  std::string text;
};
using Read = std::function<base::Result<Reading>()>;

void PrintReading(const Reading& reading, bool clear) {
  fmt::print("{}{}", clear ? kClearScreen : "", reading.text);
  std::fflush(stdout);
}

// Until the process is killed: a server that is away for a while does not end it. A screen also
// follows ages; a pipe gets what changed.
[[noreturn]] void KeepShowing(const Read& read, Reading last, const Terminal& terminal,
                              kube::Executor& executor) {
  bool away = false;
  for (;;) {
    WaitUntil(executor, kLookAgain, [] { return false; }, kLookAgain);
    auto now = read();
    if (!now && !away) Fail(now.error());
    away = !now;
    if (!now) continue;
    const bool changed =
        terminal.is_terminal ? now->text != last.text || away : now->document != last.document;
    if (changed) PrintReading(*now, terminal.is_terminal);
    last = *std::move(now);
  }
}

}  // namespace

base::Result<std::string> NamespaceOf(const ViewFlags& flags, kube::Executor& executor) {
  if (flags.all_namespaces) return std::string();
  if (!flags.ns.empty()) return flags.ns;
  return CurrentNamespace(flags.cluster, executor);
}

std::string FormatView(const json::Value& document, Format format, const Shown& shown,
                       const Terminal& terminal, base::Time now) {
  switch (format) {
    case Format::kJson:
      return json::WritePretty(document) + "\n";
    case Format::kYaml:
      return json::WriteYaml(document);
    case Format::kName: {
      std::string out;
      for (const std::string& name : shown.names(document)) out += name + "\n";
      return out;
    }
    case Format::kText:
    case Format::kWide:
      return shown.text(document, {terminal, format == Format::kWide, now});
  }
  return "";
}

int ShowView(const ViewFlags& flags, const Shown& shown) {
  if (flags.format == Format::kName && !shown.names) {
    return Fail(base::InvalidArgument("-o name: nothing here has a name; use wide, json or yaml"));
  }
  kube::ThreadExecutor executor;
  const auto client = Connect(flags.cluster, executor);
  if (!client) return Fail(client.error());
  const auto ns = NamespaceOf(flags, executor);
  if (!ns) return Fail(ns.error());
  const Terminal terminal = StandardOutput();
  const Read read = [&]() -> base::Result<Reading> {
    COPPICE_ASSIGN(json::Value document, shown.read(**client, executor, *ns));
    std::string text = FormatView(document, flags.format, shown, terminal, executor.Now());
    return Reading{std::move(document), std::move(text)};
  };
  auto first = read();
  if (!first) return Fail(first.error());
  PrintReading(*first, flags.watch && terminal.is_terminal);
  if (flags.watch) KeepShowing(read, *std::move(first), terminal, executor);
  return 0;
}

}  // namespace coppice::cli
