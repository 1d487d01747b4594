#pragma once

#include <string_view>

#include "services/common/flags.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// KAI's flags of the scheduler (docs/behaviour/scheduler.md S-01). `options` must outlive the
// flags.
void AddFlags(Options& options, FlagSet& flags);
bool IsKnownFlag(std::string_view name);

// Reads the configuration file that `--scheduler-conf` names and lays it over the options. Flags
// that concern decisions are kept.
base::Status LoadConfigFile(Options& options);
// Takes over what a configuration file says; flags that concern decisions are kept.
void TakeDecisions(engine::Configuration file, Options& options);

}  // namespace coppice::services::scheduler
