#include "engine/inputs/recorder.h"

#include "engine/inputs/apply.h"

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
