#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

namespace coppice::http::testing {

// A unix socket whose server answers one connection with fixed bytes, whatever it is asked. It
// closes after `bytes` where `closes`, else when the client does.
class UnixServer {
 public:
  explicit UnixServer(std::string bytes, bool closes = false)
      : path_((std::filesystem::temp_directory_path() /
               ("coppice-unix-server-" + std::to_string(getpid())))
                  .string()) {
    unlink(path_.c_str());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), address.sun_path);
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    thread_ = std::jthread([this, closes, answer = std::move(bytes)] { Serve(answer, closes); });
  }
  // Somebody has connected, or this waits for ever.
  ~UnixServer() {
    thread_.join();
    close(listener_);
    unlink(path_.c_str());
  }
  UnixServer(const UnixServer&) = delete;

  const std::string& path() const { return path_; }

 private:
  void Serve(std::string_view answer, bool closes) const {
    const int peer = accept(listener_, nullptr, nullptr);
    char buffer[4096];
    (void)recv(peer, buffer, sizeof buffer, 0);
    while (!answer.empty()) {
      const ssize_t sent = send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      answer.remove_prefix(static_cast<size_t>(sent));
    }
    while (!closes && recv(peer, buffer, sizeof buffer, 0) > 0) {
    }
    close(peer);
  }

  std::string path_;
  int listener_ = -1;
  std::jthread thread_;
};

}  // namespace coppice::http::testing
