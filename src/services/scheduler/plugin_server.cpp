#include "services/scheduler/plugin_server.h"

#include <algorithm>

#include "http/server/server.h"
#include "json/write.h"
#include "services/scheduler/answer_server.h"

namespace coppice::services::scheduler {
namespace {

class PluginHandler final : public http::Handler {
 public:
  explicit PluginHandler(std::shared_ptr<Service> service) : service_(std::move(service)) {}

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    auto answer = AnswerQuestion(*service_, request);
    writer->Send(answer ? *std::move(answer) : Answer(request.path));
  }

 private:
  bool Has(std::string_view plugin) const {
    const auto& plugins = service_->options().configuration.plugins;
    return std::any_of(plugins.begin(), plugins.end(),
                       [&](const engine::PluginConfig& config) { return config.name == plugin; });
  }

  http::Response Answer(std::string_view path) const {
    if (path == "/get-snapshot" && Has("snapshot")) {
      http::Response response =
          http::Response::Make(200, "application/zip", service_->TakeSnapshot());
      response.headers.Set("content-disposition", "attachment; filename=snapshot.zip");
      return response;
    }
    if (path == "/get-job-order" && Has("reflectjoborder")) {
      return http::Response::Make(200, "application/json", json::Write(service_->JobOrder()));
    }
    return http::Response::Make(404, "text/plain", "plugin not found\n");
  }

  const std::shared_ptr<Service> service_;
};

}  // namespace

base::Result<std::unique_ptr<http::OwningServer>> StartPluginServer(
    uint16_t port, std::shared_ptr<Service> service) {
  return http::OwningServer::Start(port, std::make_unique<PluginHandler>(std::move(service)));
}

}  // namespace coppice::services::scheduler
