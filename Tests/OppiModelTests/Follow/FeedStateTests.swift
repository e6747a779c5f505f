// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// Which events a feed reports, and when it reconnects.
@Suite struct FeedStateTests {
  private static let dialects = [Dialect.Stream.multiplexed, .perSession]

  /// A feed that reconnected after it lost its stream at a counter.
  private static func reopened(_ dialect: Dialect.Stream, at anchor: Int) -> FeedState {
    var feed = FeedState(sessionID: "S", patience: nil)
    feed.adopt(anchor: anchor, isOpen: true, at: .zero)
    feed.failed(at: .zero, spread: 0)
    feed.retry(at: .seconds(1))
    feed.opened(dialect)
    return feed
  }

  @Test("a repeated event is not new", arguments: dialects)
  func lastEventAgain(dialect: Dialect.Stream) {
    var feed = Self.reopened(dialect, at: 3)
    let news = [3, 2, 4, 4, 5, 3, 5].map { sequence in
      feed.read(ServerMessage.agentStart(sequence), requestID: "r", at: .seconds(1)).isNews
    }
    #expect(news == [false, false, true, false, true, false, false])
    #expect(feed.anchor == 5)
  }

  @Test("events fetched over REST are not new if the stream has delivered them")
  func fetchedAgain() {
    var feed = Self.reopened(.perSession, at: 3)
    let now = Duration.seconds(1)
    _ = feed.read(ServerMessage.connected("busy", sequence: 5), requestID: "r", at: now)
    _ = feed.read(ServerMessage.state("busy"), requestID: "r", at: now)
    #expect(feed.phase == .fetching && feed.anchor == 3)
    let missed = [3, 4, 5].map { ServerMessage.agentStart($0) }
    let (news, standing) = feed.fetched(missed, at: now)
    #expect(news.map(\.sequence) == [4, 5])
    #expect(standing?.isComplete == true)
    let again = feed.read(ServerMessage.agentStart(5), requestID: "r", at: now)
    #expect(!again.isNews)
  }

  @Test("a stream that opens without a message does not reset the retry delay")
  func openedOnly() {
    var feed = FeedState(sessionID: "S", patience: nil)
    feed.adopt(anchor: 0, isOpen: false, at: .zero)
    var now = Duration.zero
    let pauses = (0..<4).map { _ in
      feed.retry(at: now)
      feed.opened(.multiplexed)
      feed.failed(at: now, spread: 0)
      guard case .lost(let moment) = feed.phase else { return Duration.zero }
      defer { now = moment }
      return moment - now
    }
    #expect(pauses == [.milliseconds(200), .seconds(1), .seconds(2), .seconds(4)])
  }
}
