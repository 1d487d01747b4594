#pragma once

#include <string_view>

#include "services/common/flags.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// KAI's flags of the scheduler (docs/behaviour/scheduler.md S-01). `options` must outlive the
// flags.
void AddFlags(Options& options, FlagSet& flags);
bool IsKnownFlag(std::string_view name);

// Reads the configuration file of `--scheduler-conf` into the options. Flags that affect decisions
// are kept.
base::Status LoadConfigFile(Options& options);
// Applies a configuration file; flags that affect decisions are kept.
void TakeDecisions(engine::Configuration file, Options& options);

}  // namespace coppice::services::scheduler
