#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/inputs/archive.h"
#include "engine/inputs/recorded_cycle.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// Where and how a decision log is damaged. What comes before can be read.
struct LogDamage {
  size_t offset = 0;  // In bytes.
  std::string what;
};

// Steps through a decision log on an engine of its own. Not thread-safe.
//
//   COPPICE_ASSIGN(auto reader, LogReader::Open(bytes, {}));
//   while (auto step = reader.Next()) …
class LogReader {
 public:
  // Changes the settings, to replay with another configuration.
  using Change = std::function<base::Status(Options&)>;
  // `bytes` must outlive it. Fails if not even the state at its beginning can be read.
  static base::Result<LogReader> Open(std::string_view bytes, const Change& change);

  struct Step {
    int number = 0;  // From 1.
    engine::RecordedCycle recorded;
    engine::RecordedCycle replayed;
    std::optional<std::string> difference;
  };
  // The next cycle, decided again; nullopt at the end, or at damage.
  std::optional<Step> Next();
  const std::optional<LogDamage>& damage() const { return damage_; }
  const engine::Engine& engine() const { return *engine_; }

 private:
  explicit LogReader(std::string_view bytes) : bytes_(bytes) {}
  struct Frame {
    char kind = 0;
    std::string_view payload;
  };
  std::optional<Frame> NextFrame();
  void Damaged(size_t offset, std::string what);

  std::string_view bytes_;
  size_t at_ = 0;
  int number_ = 0;
  std::optional<LogDamage> damage_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::ArchiveReader> reader_;
  engine::CycleDescriber describer_;
};

}  // namespace coppice::services::scheduler
