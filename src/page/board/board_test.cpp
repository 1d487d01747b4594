#include "page/board/board.h"

#include <gtest/gtest.h>

namespace coppice::page {
namespace {

class RecordingWriter final : public http::ResponseWriter {
 public:
  void Send(http::Response) override { closed = true; }
  void Start(int status, http::Headers) override { text += fmt::format("{}\n", status); }
  bool Write(http::Bytes bytes) override {
    if (!closed) text += *bytes;
    return !closed;
  }
  void Finish() override { closed = true; }
  bool Closed() const override { return closed; }
  void OnClosed(std::function<void()>) override {}
  size_t Buffered() const override { return 0; }
  void OnDrained(std::function<void()>) override {}

  std::string text;
  bool closed = false;
};

Model ModelWith(std::string queue) {
  Model model;
  model.queues.resize(1);
  model.queues[0].id = std::move(queue);
  return model;
}

std::string Text(const http::Response& response) {
  std::string out(response.BodyView());
  for (const http::Bytes& part : response.parts) out += *part;
  return out;
}

TEST(Board, StateHasTheSectionsAndTheVersion) {
  Board board;
  EXPECT_EQ(Text(board.State({"queues"})), R"({"sections":{"queues":[]},"version":0})");
  board.Publish(ModelWith("a"));
  const std::string state = Text(board.State({"nodes", "queues"}));
  EXPECT_NE(state.find(R"("nodes":[],"queues":[{)"), std::string::npos) << state;
  EXPECT_NE(state.find(R"("version":1)"), std::string::npos) << state;
  board.Publish(ModelWith("a"));
  EXPECT_EQ(board.version(), 1) << "nothing has changed";
}

TEST(Board, ViewersGetWhatChangesInTheirSections) {
  Board board;
  board.Publish(ModelWith("a"));
  const auto writer = std::make_shared<RecordingWriter>(),
             other = std::make_shared<RecordingWriter>();
  ASSERT_TRUE(board.Follow({"queues"}, 1, writer));
  ASSERT_TRUE(board.Follow({"nodes"}, 1, other));
  board.Publish(ModelWith("b"));
  EXPECT_NE(writer->text.find(R"("queues":{"del":["a"],"put":[{)"), std::string::npos)
      << writer->text;
  EXPECT_EQ(other->text.find("data"), std::string::npos) << other->text;
  writer->closed = true;
  board.Ping();
  EXPECT_EQ(board.viewers(), 1U);
}

TEST(Board, ViewersThatComeBackCatchUpOrStartAgain) {
  Board board;
  for (const char* queue : {"a", "b", "c"}) board.Publish(ModelWith(queue));
  const auto late = std::make_shared<RecordingWriter>();
  board.Follow({"queues"}, 2, late);
  EXPECT_NE(late->text.find(R"("version":3)"), std::string::npos) << late->text;
  EXPECT_EQ(late->text.find(R"("version":2)"), std::string::npos) << late->text;
  const auto future = std::make_shared<RecordingWriter>();
  board.Follow({"queues"}, 99, future);  // Of an earlier run.
  EXPECT_NE(future->text.find("event: reset"), std::string::npos);
  for (size_t i = 0; i < Board::kKeptDeltas; ++i) board.Publish(ModelWith(fmt::format("q{}", i)));
  const auto old = std::make_shared<RecordingWriter>();
  board.Follow({"queues"}, 1, old);
  EXPECT_NE(old->text.find("event: reset"), std::string::npos);
}

TEST(Board, HasALimitOfViewers) {
  Board board;
  for (size_t i = 0; i < Board::kMostViewers; ++i) {
    EXPECT_TRUE(board.Follow({"nodes"}, 0, std::make_shared<RecordingWriter>()));
  }
  EXPECT_FALSE(board.Follow({"nodes"}, 0, std::make_shared<RecordingWriter>()));
  board.Close();
  EXPECT_EQ(board.viewers(), 0U);
}

}  // namespace
}  // namespace coppice::page
