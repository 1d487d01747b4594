#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/server/handler.h"
#include "page/model/model.h"
#include "page/model/table.h"

namespace coppice::page {

// The newest model in sections ("overview", "nodes", "queues", "workloads"), and the viewers that
// follow it. Every publication that changes something has a version; viewers get the rows that
// changed. The JSON of rows and changes is written once for all viewers. Thread-safe.
class Board {
 public:
  // Viewers at a time, and changes that are kept for viewers that connect again.
  static constexpr size_t kMostViewers = 64;
  static constexpr size_t kKeptDeltas = 64;
  static constexpr size_t kKeptBytes = 4 << 20;

  static bool Has(std::string_view section);

  void Publish(Model model);
  int64_t version() const;

  // {"sections": {"nodes": […]}, "version": 7}
  http::Response State(const std::vector<std::string>& sections);
  // Sends server-sent events until the viewer leaves: what changed after version `since`, then each
  // change. If that is not known any more, the event "reset" tells the viewer to read the state.
  // False if there are too many viewers.
  bool Follow(const std::vector<std::string>& sections, int64_t since,
              const std::shared_ptr<http::ResponseWriter>& writer);
  // Lets viewers, and us, notice connections that are gone.
  void Ping();
  size_t viewers() const;
  // Ends all streams.
  void Close();

 private:
  struct Delta {
    int64_t version = 0;
    std::map<std::string, std::string> sections;
    size_t bytes = 0;
  };
  struct Viewer {
    std::vector<std::string> sections;
    std::shared_ptr<http::ResponseWriter> writer;
  };

  static void AddSection(std::string_view name, const RowChanges& changes, Delta& delta);
  void Keep(const Delta& delta);
  std::string TableJson(const std::string& section) const;
  // The event for a viewer of these sections; "" if none of them changed.
  static std::string EventOf(const Delta& delta, const std::vector<std::string>& sections);
  bool CatchUp(const std::vector<std::string>& sections, int64_t since,
               http::ResponseWriter& writer) const;
  void DropClosed();

  mutable std::mutex mutex_;  // Guards all below.
  bool closed_ = false;
  int64_t version_ = 0;
  Table<OverviewRow> overview_;
  Table<NodeRow> nodes_;
  Table<QueueRow> queues_;
  Table<WorkloadRow> workloads_;
  std::map<std::string, http::Bytes> whole_;  // Sections as JSON, until they change.
  std::deque<Delta> deltas_;
  size_t delta_bytes_ = 0;
  std::vector<Viewer> viewers_;
};

}  // namespace coppice::page
