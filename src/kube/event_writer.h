#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "kube/client.h"
#include "kube/event_correlator.h"
#include "kube/events.h"
#include "kube/metrics.h"
#include "kube/strand.h"
#include "kube/task_scope.h"

namespace coppice::kube {

// The event recorder: keeps a bounded queue and writes core/v1 events from the executor, one after
// the other. Thread-safe.
class EventWriter final : public EventRecorder {
 public:
  struct Options {
    std::string component = "coppice";
    std::string instance;        // The host or pod, where known.
    size_t queue_limit = 10000;  // Further events are dropped and counted.
    int attempts = 12;           // Per event, while the server cannot be reached.
    base::Duration retry_delay = std::chrono::seconds(10);
    Metrics* metrics = nullptr;
    EventCorrelator::Options correlation;
  };

  EventWriter(Client& client, Executor& executor, Options options);
  ~EventWriter() override { Close(); }

  void Event(const json::Value& object, std::string_view type, std::string_view reason,
             std::string_view message, std::string_view component) override {
    AnnotatedEvent(object, type, reason, message, component, {});
  }
  void AnnotatedEvent(const json::Value& object, std::string_view type, std::string_view reason,
                      std::string_view message, std::string_view component,
                      const json::Value& annotations) override;
  // Drops what is queued and returns when nothing is being written any more.
  void Close() { scope_.Close(); }

 private:
  struct Pending {
    json::Value reference;  // The involvedObject.
    std::string type;
    std::string reason;
    std::string message;
    std::string component;
    base::Time time;
    json::Value annotations;  // Null: none.
  };
  // An event that exists on the server.
  struct Written {
    std::string ns;
    std::string name;
    int64_t count = 0;
  };

  void WriteSome(int attempt);
  bool WriteNext(int attempt);
  bool Write(const Pending& event, const EventCorrelator::Output& output);
  base::Status CountUp(const Pending& event, const EventCorrelator::Output& output,
                       Written& written);
  base::Status CreateNew(const Pending& event, const EventCorrelator::Output& output,
                         Written& written);
  json::Value Document(const Pending& event, const EventCorrelator::Output& output) const;
  bool Finish();
  void Dropped(const char* why);

  Client& client_;
  const Options options_;
  Strand strand_;
  // Touched on the strand only.
  EventCorrelator correlator_;
  RecentMap<Written> written_;
  std::optional<EventCorrelator::Output> correlated_;  // Of the front of the queue, once decided.
  uint64_t sequence_ = 0;

  std::mutex mutex_;  // Guards queue_.
  std::deque<Pending> queue_;
  TaskScope scope_;
};

}  // namespace coppice::kube
