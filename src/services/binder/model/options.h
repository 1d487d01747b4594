#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/own_image.h"
#include "json/value.h"
#include "kube/executor/backoff.h"
#include "services/binder/model/plugin_config.h"

namespace coppice::services::binder {

// The binder's flags.
struct Options {
  std::string scheduler_name = "kai-scheduler";
  std::string reservation_namespace = "kai-resource-reservation";
  std::string reservation_service_account = "kai-resource-reservation";
  std::string reservation_app_label = "kai-resource-reservation";
  std::string reservation_image = base::kOwnImage;
  // Empty: the image's own.
  std::vector<std::string> reservation_command = {"coppice", "run", "reservation"};
  base::Duration reservation_timeout = std::chrono::seconds(40);
  json::Value reservation_resources;                   // {requests, limits}; null: none.
  json::Value reservation_pod_security_context;        // Null: none.
  json::Value reservation_container_security_context;  // Null: none.
  std::string runtime_class_name;
  std::string scale_adjust_namespace = "kai-scale-adjust";
  // Reservation pods only sleep; a simulator reports the GPU.
  bool fake_gpu_nodes = false;
  int workers = 10;
  // Back-off of failed requests; applies if the binder has its own manager.
  kube::Backoff retry{std::chrono::seconds(1), std::chrono::seconds(60)};
  PluginConfigs plugins = DefaultPluginConfigs();
};

}  // namespace coppice::services::binder
