#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::services {

// Command line flags as KAI's binaries accept them: `--name=value`, `--name value`, `--switch`,
// `--switch=false`, with one dash or two. A name that several parts of one process declare is set
// in all of them.
//
//   FlagSet flags;
//   flags.Text("scheduler-name", options.scheduler_name).Switch("fake-gpu-nodes", options.fake);
//   COPPICE_TRY(flags.Parse(arguments));
class FlagSet {
 public:
  using Setter = std::function<base::Status(std::string_view value)>;

  FlagSet& Text(std::string name, std::string& target);
  FlagSet& Switch(std::string name, bool& target);
  FlagSet& Integer(std::string name, int& target);
  FlagSet& Number(std::string name, double& target);
  FlagSet& Seconds(std::string name, base::Duration& target);                    // "40".
  FlagSet& Duration(std::string name, base::Duration& target);                   // "1m30s".
  FlagSet& Json(std::string name, json::Value& target);                          // An object.
  FlagSet& Pairs(std::string name, std::map<std::string, std::string>& target);  // "a=b,c=d".
  FlagSet& Words(std::string name, std::vector<std::string>& target);            // "a b c".
  FlagSet& Custom(std::string name, Setter setter, std::string initial = "");
  // Accepted and ignored: limits of a Go runtime, profilers.
  FlagSet& Ignored(std::string name);
  FlagSet& IgnoredSwitch(std::string name);

  bool Knows(std::string_view name) const { return flags_.contains(name); }
  struct Entry {
    std::string name;
    std::string form;     // "TEXT", "INT", …; "" for a switch.
    std::string initial;  // The default value.
  };
  // Every flag that has an effect, by name.
  std::vector<Entry> List() const;
  // Errors name the flag. Arguments that are not flags go into `words`, or are rejected if it is
  // null.
  base::Status Parse(const std::vector<std::string>& arguments,
                     std::vector<std::string>* words = nullptr) const;

 private:
  struct Flag {
    bool is_switch = false;
    bool ignored = false;
    std::string form;
    std::string initial;
    std::vector<Setter> setters;
  };
  FlagSet& Add(std::string name, std::string form, std::string initial, Setter setter);
  FlagSet& AddIgnored(std::string name, bool is_switch, Setter setter);

  std::map<std::string, Flag, std::less<>> flags_;
};

}  // namespace coppice::services
