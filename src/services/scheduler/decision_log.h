#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/inputs/recorded_cycle.h"
#include "engine/inputs/recorder.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// Keeps a scheduler's last decisions in a file: the settings, the state of the engine at some
// moment, and from then on, per cycle, what the engine was told, what it decided, and why groups
// wait. `coppice replay` reads it (docs/answers.md).
//
// The file is bounded. At half of the limit it is renamed to FILE.1, in place of the one before,
// and a new one begins with the state at that moment. A log that cannot be written is given up, and
// the scheduler goes on. Not thread-safe.
class DecisionLog {
 public:
  // Starts recording what `engine` is told; it must be new, keep its inputs and outlive the log.
  static base::Result<std::unique_ptr<DecisionLog>> Open(const Options& options,
                                                         engine::Engine& engine);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;

  // Call after every cycle, before the engine is told anything else.
  void Cycle(base::Time now, const engine::CycleResult& result);

  bool broken() const { return file_ == nullptr; }

 private:
  DecisionLog(const Options& options, engine::Engine& engine);
  base::Status Begin();
  base::Status Append(char kind, std::string_view payload);
  base::Status Rotate();
  void GiveUp(const base::Error& error);

  const std::string path_;
  const uint64_t limit_;
  const std::string settings_;
  engine::Engine& engine_;
  std::unique_ptr<engine::Recorder> recorder_;
  engine::CycleDescriber describer_;
  std::FILE* file_ = nullptr;
  uint64_t written_ = 0;
};

}  // namespace coppice::services::scheduler
