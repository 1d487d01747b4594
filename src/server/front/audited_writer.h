#pragma once

#include <atomic>
#include <memory>

#include "http/server/handler.h"

namespace coppice::server {

// A writer that records the response status.
class AuditedWriter final : public http::ResponseWriter {
 public:
  explicit AuditedWriter(std::shared_ptr<http::ResponseWriter> inner) : inner_(std::move(inner)) {}

  // 0 until a response has started.
  int status() const { return status_; }

  void Send(http::Response response) override {
    status_ = response.status;
    inner_->Send(std::move(response));
  }
  void Start(int status, http::Headers headers) override {
    status_ = status;
    inner_->Start(status, std::move(headers));
  }
  using http::ResponseWriter::Write;
  bool Write(http::Bytes bytes) override { return inner_->Write(std::move(bytes)); }
  void Finish() override { inner_->Finish(); }
  bool Closed() const override { return inner_->Closed(); }
  void OnClosed(std::function<void()> callback) override { inner_->OnClosed(std::move(callback)); }
  size_t Buffered() const override { return inner_->Buffered(); }
  void OnDrained(std::function<void()> callback) override {
    inner_->OnDrained(std::move(callback));
  }
  void MarkAuthenticated() override { inner_->MarkAuthenticated(); }

 private:
  const std::shared_ptr<http::ResponseWriter> inner_;
  std::atomic<int> status_{0};
};

}  // namespace coppice::server
