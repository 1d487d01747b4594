#include "engine/replay_input.h"

#include "engine/apply.h"
#include "engine/inputs/recorder.h"

namespace coppice::engine {
namespace {

template <typename Spec>
void ReplayPut(ArchiveReader& reader, Engine& engine) {
  const Spec spec = reader.Read<Spec>();
  if (reader.ok()) Put(engine, spec);
}

template <typename Spec>
void ReplayRemove(ArchiveReader& reader, Engine& engine) {
  const auto namespace_name = reader.Read<std::string>(), name = reader.Read<std::string>();
  if (reader.ok()) Remove<Spec>(engine, namespace_name, name);
}

bool ReplayOther(uint8_t code, ArchiveReader& reader, Engine& engine) {
  if (code == Recorder::kUsage) {
    engine.SetUsage(reader.Read<std::map<std::string, QueueUsage>>());
    return true;
  }
  const auto first = reader.Read<std::string>();
  if (code == Recorder::kLastStart) {
    const auto name = reader.Read<std::string>();
    engine.SetLastStart(first, name, reader.Read<base::Time>());
    return true;
  }
  if (code != Recorder::kSurplus) return false;
  engine.SetSurplusHeldSince(first, reader.Read<base::Time>());
  return true;
}

// Whether some type has this code.
template <size_t... kIndex>
bool ReplayObject(uint8_t code, ArchiveReader& reader, Engine& engine,
                  std::index_sequence<kIndex...> /*of InputTypes*/) {
  bool found = false;
  const auto attempt = [&]<typename Spec>(const Spec* /*tag*/) {
    if (code == Recorder::CodeOf<Spec>(Recorder::kPut)) {
      ReplayPut<Spec>(reader, engine);
      found = true;
    } else if (code == Recorder::CodeOf<Spec>(Recorder::kRemove)) {
      ReplayRemove<Spec>(reader, engine);
      found = true;
    }
  };
  (attempt(static_cast<const std::tuple_element_t<kIndex, InputTypes>*>(nullptr)), ...);
  return found;
}

}  // namespace

base::Status ReplayInput(ArchiveReader& reader, Engine& engine) {
  constexpr auto kAll = std::make_index_sequence<std::tuple_size_v<InputTypes>>();
  while (reader.ok() && !reader.at_end()) {
    const auto code = reader.Read<uint8_t>();
    if (!ReplayObject(code, reader, engine, kAll) && !ReplayOther(code, reader, engine)) {
      return base::InvalidArgument("recorded input has an unknown code");
    }
  }
  return reader.ok() ? base::Status() : base::InvalidArgument("recorded input ends too early");
}

}  // namespace coppice::engine
