#include "http/client/curl_lanes.h"

#include <algorithm>

namespace coppice::http {
namespace {

// A connection that was idle for this long is closed; kube-apiserver would close it a little later.
constexpr std::chrono::seconds kIdleLimit(60);
constexpr int kPollMs = 1'000;

}  // namespace

struct CurlLanes::Lane {
  Lane() : multi(curl_multi_init()) { curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 1L); }
  ~Lane() { curl_multi_cleanup(multi); }
  Lane(const Lane&) = delete;

  CURLM* const multi;  // Owns the connection between requests.
  Instant last_used;
};

class CurlLanes::Request final : public CurlExchange {
 public:
  Request(const ClientOptions& options, ClientRequest request)
      : CurlExchange(options, std::move(request)), limit_(options.max_response_bytes) {}

  Exchange TakeOutcome() {
    if (!status_) return {status_.error(), sent_};
    response_.body = MakeBytes(std::move(body_));
    return {std::move(response_), true};
  }

 protected:
  void OnHead(int status, Headers headers) override {
    response_.status = status;
    response_.headers = std::move(headers);
    const size_t length =
        std::strtoull(std::string(response_.headers.Get("content-length")).c_str(), nullptr, 10);
    body_.reserve(std::min(length, limit_));
  }
  bool OnBody(std::string_view bytes) override {
    if (body_.size() + bytes.size() > limit_) return false;
    body_.append(bytes);
    return true;
  }
  void OnEnd(base::Status status, bool sent) override {
    status_ = std::move(status);
    sent_ = sent;
  }

 private:
  const size_t limit_;
  Response response_;
  std::string body_;
  base::Status status_;
  bool sent_ = true;
};

CurlLanes::CurlLanes(const ClientOptions& options) : options_(options) {}

CurlLanes::~CurlLanes() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  for (Lane* lane : busy_) curl_multi_wakeup(lane->multi);
  all_idle_.wait(lock, [this] { return busy_.empty(); });
}

Exchange CurlLanes::Send(ClientRequest request) {
  Request exchange(options_, std::move(request));
  std::unique_ptr<Lane> lane = Take();
  if (curl_multi_add_handle(lane->multi, exchange.handle()) == CURLM_OK) {
    Run(*lane, exchange);
    curl_multi_remove_handle(lane->multi, exchange.handle());
  } else {
    exchange.Complete(CURLE_FAILED_INIT);
  }
  Return(std::move(lane));
  return exchange.TakeOutcome();
}

void CurlLanes::Run(Lane& lane, Request& request) {
  while (!stopping()) {
    int running = 0;
    int left = 0;
    const CURLMcode performed = curl_multi_perform(lane.multi, &running);
    if (performed != CURLM_OK) return request.Complete(CURLE_OUT_OF_MEMORY);
    if (const CURLMsg* message = curl_multi_info_read(lane.multi, &left)) {
      return request.Complete(message->data.result);
    }
    curl_multi_poll(lane.multi, nullptr, 0, kPollMs, nullptr);
  }
  request.Cancel();
}

std::unique_ptr<CurlLanes::Lane> CurlLanes::Take() {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Lane> lane;
  if (idle_.empty()) {
    lane = std::make_unique<Lane>();
  } else {
    lane = std::move(idle_.back());
    idle_.pop_back();
  }
  busy_.push_back(lane.get());
  return lane;
}

void CurlLanes::Return(std::unique_ptr<Lane> lane) {
  std::unique_ptr<Lane> unused;  // Closed without the lock.
  std::lock_guard lock(mutex_);
  lane->last_used = std::chrono::steady_clock::now();
  std::erase(busy_, lane.get());
  if (!idle_.empty() && lane->last_used - idle_.front()->last_used > kIdleLimit) {
    unused = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(lane));
  // Under the lock: the destructor ends as soon as it can.
  if (busy_.empty()) all_idle_.notify_all();
}

bool CurlLanes::stopping() const {
  std::lock_guard lock(mutex_);
  return stopping_;
}

}  // namespace coppice::http
