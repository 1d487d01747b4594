#include "engine/inputs/recorder.h"

namespace coppice::engine {

void Recorder::SetLastStart(const InputKey& group, base::Time time) {
  writer_.Write(static_cast<uint8_t>(kLastStart));
  writer_.Write(group.first);
  writer_.Write(group.second);
  writer_.Write(time);
}

void Recorder::SetUsage(const std::map<std::string, QueueUsage>& usage) {
  writer_.Write(static_cast<uint8_t>(kUsage));
  writer_.Write(usage);
}

void Recorder::SetSurplusHeldSince(const std::string& set, base::Time since) {
  writer_.Write(static_cast<uint8_t>(kSurplus));
  writer_.Write(set);
  writer_.Write(since);
}

}  // namespace coppice::engine
