#pragma once

#include "kube/process/manager.h"

namespace coppice::services::workloads {

// Starts a Job at each time of a CronJob's schedule, by its concurrencyPolicy and
// startingDeadlineSeconds, and removes finished ones beyond the limits of its history. Schedules
// are read in UTC: one with another timeZone gets an event and starts nothing.
void AddCronJobController(kube::Manager& manager);

}  // namespace coppice::services::workloads
