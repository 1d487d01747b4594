#include "services/common/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "json/parse.h"

namespace coppice::services {
namespace {

base::Result<bool> ReadBool(std::string_view text) {
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return base::InvalidArgument("must be true or false");
}

template <typename T>
base::Status ReadNumber(std::string_view text, T& target) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return base::InvalidArgument("must be a number");
  }
  target = value;
  return {};
}

base::Status ReadPairs(std::string_view text, std::map<std::string, std::string>& target) {
  target.clear();
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    const size_t equals = pair.find('=');
    if (equals == pair.npos) {
      return base::InvalidArgument(fmt::format("\"{}\" must be formatted as key=value", pair));
    }
    target[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
    text = comma == text.npos ? "" : text.substr(comma + 1);
  }
  return {};
}

}  // namespace

FlagSet& FlagSet::Add(std::string name, std::string form, std::string initial, Setter setter) {
  Flag& flag = flags_[std::move(name)];
  flag.is_switch = form.empty();
  flag.ignored = false;
  flag.form = std::move(form);
  flag.initial = std::move(initial);
  flag.setters.push_back(std::move(setter));
  return *this;
}

FlagSet& FlagSet::AddIgnored(std::string name, bool is_switch, Setter setter) {
  const auto [flag, added] = flags_.try_emplace(std::move(name));
  if (added) flag->second.is_switch = is_switch;
  flag->second.ignored |= added;
  flag->second.setters.push_back(std::move(setter));
  return *this;
}

FlagSet& FlagSet::Text(std::string name, std::string& target) {
  return Add(std::move(name), "TEXT", target, [&target](std::string_view value) -> base::Status {
    target = value;
    return {};
  });
}

FlagSet& FlagSet::Switch(std::string name, bool& target) {
  return Add(std::move(name), "", target ? "true" : "",
             [&target](std::string_view value) -> base::Status {
               COPPICE_ASSIGN(target, ReadBool(value));
               return {};
             });
}

FlagSet& FlagSet::Integer(std::string name, int& target) {
  return Add(std::move(name), "INT", fmt::format("{}", target),
             [&target](std::string_view value) { return ReadNumber(value, target); });
}

FlagSet& FlagSet::Number(std::string name, double& target) {
  return Add(std::move(name), "NUMBER", fmt::format("{}", target),
             [&target](std::string_view value) { return ReadNumber(value, target); });
}

FlagSet& FlagSet::Seconds(std::string name, base::Duration& target) {
  const auto initial = std::chrono::duration_cast<std::chrono::seconds>(target);
  return Add(std::move(name), "SECONDS", fmt::format("{}", initial.count()),
             [&target](std::string_view value) -> base::Status {
               int seconds = 0;
               COPPICE_TRY(ReadNumber(value, seconds));
               target = std::chrono::seconds(seconds);
               return {};
             });
}

FlagSet& FlagSet::Duration(std::string name, base::Duration& target) {
  return Add(std::move(name), "DURATION", base::FormatDuration(target),
             [&target](std::string_view value) -> base::Status {
               COPPICE_ASSIGN(target, base::ParseDuration(value));
               return {};
             });
}

FlagSet& FlagSet::Json(std::string name, json::Value& target) {
  return Add(std::move(name), "JSON", "", [&target](std::string_view value) -> base::Status {
    COPPICE_ASSIGN(json::Value parsed, json::Parse(value));
    if (!parsed.IsObject()) return base::InvalidArgument("must be a JSON object");
    target = std::move(parsed);
    return {};
  });
}

FlagSet& FlagSet::Pairs(std::string name, std::map<std::string, std::string>& target) {
  return Add(std::move(name), "KEY=VALUE,…", "",
             [&target](std::string_view value) { return ReadPairs(value, target); });
}

FlagSet& FlagSet::Words(std::string name, std::vector<std::string>& target) {
  return Add(std::move(name), "WORDS", fmt::format("{}", fmt::join(target, " ")),
             [&target](std::string_view value) -> base::Status {
               target.clear();
               while (!value.empty()) {
                 const size_t space = std::min(value.find(' '), value.size());
                 if (space > 0) target.emplace_back(value.substr(0, space));
                 value.remove_prefix(std::min(space + 1, value.size()));
               }
               return {};
             });
}

FlagSet& FlagSet::Custom(std::string name, Setter setter, std::string initial) {
  return Add(std::move(name), "TEXT", std::move(initial), std::move(setter));
}

FlagSet& FlagSet::Ignored(std::string name) {
  return AddIgnored(std::move(name), false, [](std::string_view) { return base::Status(); });
}

FlagSet& FlagSet::IgnoredSwitch(std::string name) {
  return AddIgnored(std::move(name), true, [](std::string_view value) -> base::Status {
    COPPICE_TRY(ReadBool(value));
    return {};
  });
}

std::vector<FlagSet::Entry> FlagSet::List() const {
  std::vector<Entry> entries;
  for (const auto& [name, flag] : flags_) {
    if (!flag.ignored) entries.push_back({name, flag.form, flag.initial});
  }
  return entries;
}

base::Status FlagSet::Parse(const std::vector<std::string>& arguments,
                            std::vector<std::string>* words) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view text = arguments[i];
    if (!text.starts_with('-') || text == "-" || text == "--") {
      if (words) {
        words->emplace_back(text);
        continue;
      }
      return base::InvalidArgument(fmt::format("\"{}\" is no flag", text));
    }
    text.remove_prefix(text.starts_with("--") ? 2 : 1);
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const auto flag = flags_.find(name);
    if (flag == flags_.end()) return base::InvalidArgument(fmt::format("unknown flag: --{}", name));
    std::string_view value = "true";
    if (equals != text.npos) {
      value = text.substr(equals + 1);
    } else if (!flag->second.is_switch) {
      if (i + 1 == arguments.size()) {
        return base::InvalidArgument(fmt::format("--{} needs a value", name));
      }
      value = arguments[++i];
    }
    for (const Setter& set : flag->second.setters) {
      const base::Status done = set(value);
      if (!done) return done.error().During(fmt::format("--{}", name));
    }
  }
  return {};
}

}  // namespace coppice::services
