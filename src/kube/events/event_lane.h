#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "kube/client/client.h"
#include "kube/events/event_correlator.h"
#include "kube/executor/priority.h"
#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"
#include "kube/metrics.h"

namespace coppice::kube {

struct EventOptions {
  std::string component = "coppice";
  std::string instance;        // The host or pod, where known.
  size_t lanes = 8;            // Maximum number of events being written concurrently.
  size_t queue_limit = 10000;  // Of all lanes; further events are dropped and counted.
  int attempts = 12;           // Per event, while the server cannot be reached.
  base::Duration retry_delay = std::chrono::seconds(10);
  Metrics* metrics = nullptr;
  // While it has urgent work, events are deferred for a bounded time.
  const PriorityTracker* priorities = nullptr;
  EventCorrelator::Options correlation;
};

// An event to be written about an object.
struct PendingEvent {
  json::Value reference;  // The involvedObject.
  std::string object;     // The same as text.
  std::string type;
  std::string reason;
  std::string message;
  std::string component;
  base::Time time;
  base::Instant queued;
  json::Value annotations;  // Null: none.
  uint64_t sequence = 0;    // Later events have higher ones.
};

// Counts an event that is not written.
void CountDropped(const EventOptions& options, const char* why);

// Writes core/v1 events from the executor, one at a time, in order. Thread-safe. What it is made
// with must outlive it.
class EventLane {
 public:
  // `waiting` counts the events of all lanes that are not yet written.
  EventLane(Client& client, Executor& executor, const EventOptions& options,
            std::atomic<size_t>& waiting);

  void Add(PendingEvent event);
  // Drops what is queued and returns when nothing is being written any more.
  void Close() { scope_.Close(); }
  // After Close: writes events that were deferred for urgent work. False if that takes too long or
  // fails.
  bool WriteLate(base::Instant deadline);

 private:
  // An event that exists on the server.
  struct Written {
    std::string ns;
    std::string name;
    int64_t count = 0;
  };

  void WriteSome(int attempt);
  bool ShouldWait();
  bool WriteNext(int attempt);
  bool WriteFront();
  bool Write(const PendingEvent& event, const EventCorrelator::Output& output);
  base::Status CountUp(const PendingEvent& event, const EventCorrelator::Output& output,
                       Written& written);
  base::Status CreateNew(const PendingEvent& event, const EventCorrelator::Output& output,
                         Written& written);
  json::Value Document(const PendingEvent& event, const EventCorrelator::Output& output) const;
  bool Finish();

  Client& client_;
  const EventOptions& options_;
  std::atomic<size_t>& waiting_;
  Strand strand_;
  // Touched on the strand only.
  EventCorrelator correlator_;
  RecentMap<Written> written_;
  std::optional<EventCorrelator::Output> correlated_;  // Of the front of the queue, once decided.
  bool waits_ = false;                                 // The front is deferred for urgent work.

  std::mutex mutex_;  // Guards queue_.
  std::deque<PendingEvent> queue_;
  TaskScope scope_;
};

}  // namespace coppice::kube
