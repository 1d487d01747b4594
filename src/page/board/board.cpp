#include "page/board/board.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::page {
namespace {

constexpr std::string_view kOverview = "overview", kNodes = "nodes", kQueues = "queues",
                           kWorkloads = "workloads";

}  // namespace

bool Board::Has(std::string_view section) {
  return section == kOverview || section == kNodes || section == kQueues || section == kWorkloads;
}

void Board::AddSection(std::string_view name, const RowChanges& changes, Delta& delta) {
  if (changes.empty()) return;
  std::string json = changes.ToJson();
  delta.bytes += json.size();
  delta.sections.emplace(name, std::move(json));
}

void Board::Publish(Model model) {
  std::lock_guard lock(mutex_);
  Delta delta;
  std::vector<OverviewRow> overview;
  overview.push_back(std::move(model.overview));
  AddSection(kOverview, overview_.Replace(std::move(overview)), delta);
  AddSection(kNodes, nodes_.Replace(std::move(model.nodes)), delta);
  AddSection(kQueues, queues_.Replace(std::move(model.queues)), delta);
  AddSection(kWorkloads, workloads_.Replace(std::move(model.workloads)), delta);
  if (delta.sections.empty()) return;
  delta.version = ++version_;
  for (const auto& [section, json] : delta.sections) whole_.erase(section);
  for (const Viewer& viewer : viewers_) {
    const std::string event = EventOf(delta, viewer.sections);
    if (!event.empty()) viewer.writer->Write(event);
  }
  DropClosed();
  Keep(delta);
}

void Board::Keep(const Delta& delta) {
  deltas_.push_back(delta);
  delta_bytes_ += delta.bytes;
  while (!deltas_.empty() && (deltas_.size() > kKeptDeltas || delta_bytes_ > kKeptBytes)) {
    delta_bytes_ -= deltas_.front().bytes;
    deltas_.pop_front();
  }
}

int64_t Board::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

std::string Board::TableJson(const std::string& section) const {
  if (section == kOverview) return overview_.Json();
  if (section == kNodes) return nodes_.Json();
  if (section == kQueues) return queues_.Json();
  return workloads_.Json();
}

http::Response Board::State(const std::vector<std::string>& sections) {
  std::lock_guard lock(mutex_);
  http::Response response = http::Response::Make(200, "application/json", "");
  std::string head = "{\"sections\":{";
  for (const std::string& section : sections) {
    http::Bytes& whole = whole_[section];
    if (!whole) whole = http::MakeBytes(TableJson(section));
    response.parts.push_back(http::MakeBytes(fmt::format("{}\"{}\":", head, section)));
    response.parts.push_back(whole);
    head = ",";
  }
  const std::string open = sections.empty() ? head : "";
  response.parts.push_back(http::MakeBytes(fmt::format("{}}},\"version\":{}}}", open, version_)));
  return response;
}

std::string Board::EventOf(const Delta& delta, const std::vector<std::string>& sections) {
  std::string out;
  for (const std::string& section : sections) {
    const auto found = delta.sections.find(section);
    if (found == delta.sections.end()) continue;
    out += fmt::format("{}\"{}\":", out.empty() ? "data: {\"sections\":{" : ",", section);
    out += found->second;
  }
  if (!out.empty()) out += fmt::format("}},\"version\":{}}}\n\n", delta.version);
  return out;
}

bool Board::CatchUp(const std::vector<std::string>& sections, int64_t since,
                    http::ResponseWriter& writer) const {
  const int64_t oldest = deltas_.empty() ? version_ + 1 : deltas_.front().version;
  if (since > version_ || since + 1 < oldest) {
    return writer.Write(std::string_view("event: reset\ndata: {}\n\n"));
  }
  for (const Delta& delta : deltas_) {
    if (delta.version <= since) continue;
    const std::string event = EventOf(delta, sections);
    if (!event.empty() && !writer.Write(event)) return false;
  }
  return true;
}

bool Board::Follow(const std::vector<std::string>& sections, int64_t since,
                   const std::shared_ptr<http::ResponseWriter>& writer) {
  std::lock_guard lock(mutex_);
  DropClosed();
  if (closed_ || viewers_.size() >= kMostViewers) return false;
  writer->Start(200, {{"content-type", "text/event-stream"},
                      {"cache-control", "no-store"},
                      {"x-content-type-options", "nosniff"}});
  writer->Write(std::string_view("retry: 1000\n\n"));
  if (CatchUp(sections, since, *writer)) viewers_.push_back({sections, writer});
  return true;
}

void Board::Ping() {
  std::lock_guard lock(mutex_);
  const http::Bytes event =
      http::MakeBytes(fmt::format("event: ping\ndata: {{\"version\":{}}}\n\n", version_));
  for (const Viewer& viewer : viewers_) viewer.writer->Write(event);
  DropClosed();
}

size_t Board::viewers() const {
  std::lock_guard lock(mutex_);
  return viewers_.size();
}

void Board::DropClosed() {
  std::erase_if(viewers_, [](const Viewer& viewer) { return viewer.writer->Closed(); });
}

void Board::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (const Viewer& viewer : viewers_) viewer.writer->Finish();
  viewers_.clear();
}

}  // namespace coppice::page
