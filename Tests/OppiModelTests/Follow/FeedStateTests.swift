// SPDX-License-Identifier: MIT

import OppiModel
import OppiWire
import Testing

/// Which events a feed reports, and when it reconnects.
@Suite struct FeedStateTests {
  private static let dialects = [Dialect.Stream.multiplexed, .perSession]

  /// A feed that reconnected after it lost its stream at a counter.
  private static func reopened(_ dialect: Dialect.Stream, at anchor: Int) -> FeedState {
    var feed = FeedState(sessionID: "S", timeout: nil)
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
    let (news, catchUp) = feed.fetched(missed, at: now)
    #expect(news.map(\.sequence) == [4, 5])
    #expect(catchUp?.isComplete == true)
    let again = feed.read(ServerMessage.agentStart(5), requestID: "r", at: now)
    #expect(!again.isNews)
  }

  @Test("a new agent is reported by the first stream that is set up, and only by that one")
  func newAgentOnce() {
    var feed = Self.reopened(.multiplexed, at: 3)
    let now = Duration.seconds(1)
    // This stream breaks before the subscription is admitted.
    _ = feed.read(ServerMessage.connected("busy", sequence: 1), requestID: "r", at: now)
    let reported = (0..<2).map { _ -> Bool? in
      feed.failed(at: now, spread: 0)
      feed.retry(at: .seconds(100))
      feed.opened(.multiplexed)
      _ = feed.read(ServerMessage.connected("busy", sequence: 1), requestID: "r", at: now)
      let reading = feed.read(ServerMessage.result("r"), requestID: "r", at: now)
      return reading.catchUp?.isNewAgent
    }
    #expect(reported == [true, false])
  }

  @Test("an event of another session on the same stream hides none of this session")
  func otherSession() {
    var feed = Self.reopened(.multiplexed, at: 3)
    let events = [("T", 9), ("S", 4)].map { session, sequence in
      ServerMessage(.agentStart, sessionID: session, sequence: sequence)
    }
    let news = events.map { feed.read($0, requestID: "r", at: .seconds(1)).isNews }
    #expect(news == [true, true] && feed.anchor == 4)
  }

  @Test("the end of a stream is explained by its own last error, and by none of a turn")
  func farewell() {
    var feed = FeedState(sessionID: "S", timeout: nil)
    feed.opened(.session)
    let (ofTurn, ofStream) = (ServerMessage.error("a", sequence: 1), ServerMessage.error("b"))
    _ = feed.read(ofTurn, requestID: "r", at: .zero)
    #expect(feed.farewell == nil)
    _ = feed.read(ofStream, requestID: "r", at: .zero)
    #expect(feed.farewell != nil)
    _ = feed.expired()
    feed.opened(.session)
    #expect(feed.farewell == nil)
  }

  @Test("a stream that opens without a message does not reset the retry delay")
  func openedOnly() {
    var feed = FeedState(sessionID: "S", timeout: nil)
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

/// The retry delays and the timeout of a reconnect.
@Suite struct ReconnectTests {
  /// The delays of attempts that fail at once, until the end of the timeout.
  private static func delays(
    of count: Int,
    timeout: Duration? = nil,
    spread: Double = 0
  ) -> [Duration] {
    var (reconnect, now) = (Reconnect(timeout: timeout), Duration.zero)
    return (0..<count).compactMap { _ in
      let next = reconnect.failed(at: now, spread: spread)
      defer { now = next ?? now }
      return next.map { $0 - now }
    }
  }

  @Test("the delay grows up to 30 s, and the last attempt is at the end of the timeout")
  func growing() {
    let whole = [.milliseconds(200)] + [1, 2, 4, 8, 16, 30, 30, 30].map { Duration.seconds($0) }
    #expect(Self.delays(of: 9) == whole)
    let patient = Self.delays(of: 1000, timeout: .seconds(120))
    #expect(patient.dropLast() == whole.prefix(patient.count - 1))
    #expect(patient.reduce(.zero, +) == .seconds(120))
  }

  @Test("clients that lose a server at the same time reconnect at different times")
  func spread() {
    let delays = [0, 0.5, 1, 7].map { Self.delays(of: 100, spread: $0) }
    #expect(delays.map { $0[2] } == [2000, 2250, 2500, 2500].map { Duration.milliseconds($0) })
    #expect(delays[2][3] == .seconds(5) && delays[2].max() == .milliseconds(37_500))
    #expect(delays.allSatisfy { $0.count == 100 }, "without a timeout, nothing ends them")
  }

  @Test("a connection resets the delay if it held for 10 s")
  func steady() {
    for (held, isAnew) in [(0, false), (9999, false), (10_000, true)] {
      let held = Duration.milliseconds(held)
      var reconnect = Reconnect(timeout: nil)
      for _ in 0..<4 { _ = reconnect.failed(at: .zero, spread: 0) }
      reconnect.succeeded(at: .zero)
      let next = reconnect.failed(at: held, spread: 0)
      #expect(next == held + (isAnew ? .milliseconds(200) : .seconds(8)), "\(held)")
      let later = held + .seconds(1)
      let second = reconnect.failed(at: later, spread: 0)
      #expect(second == later + .seconds(isAnew ? 1 : 16), "the connection counts once")
    }
  }

  @Test("timeout is counted from the loss of the connection")
  func timeout() {
    for (last, isOver) in [(Duration.milliseconds(59_999), false), (.seconds(60), true)] {
      var reconnect = Reconnect(timeout: .seconds(60))
      reconnect.succeeded(at: .zero)
      for moment in [Duration.seconds(0), .seconds(20), .seconds(40)] {
        #expect(reconnect.failed(at: moment, spread: 0) != nil)
      }
      let next = reconnect.failed(at: last, spread: 0)
      #expect(next == (isOver ? nil : .seconds(60)), "the last attempt is at the end")
    }
  }

  @Test("a new connection resets the timeout")
  func anew() {
    var reconnect = Reconnect(timeout: .seconds(60))
    _ = reconnect.failed(at: .zero, spread: 0)
    reconnect.succeeded(at: .seconds(50))
    #expect(reconnect.failed(at: .seconds(70), spread: 0) != nil)
    #expect(reconnect.failed(at: .seconds(129), spread: 0) != nil)
    #expect(reconnect.failed(at: .seconds(130), spread: 0) == nil)
  }

  @Test("a feed retries at the end of its delay, and not earlier")
  func moment() {
    var feed = FeedState(sessionID: "S", timeout: nil)
    feed.failed(at: .zero, spread: 0)
    #expect(feed.retry(at: .milliseconds(199)) == false)
    #expect(feed.retry(at: .milliseconds(200)) == true)
    #expect(feed.retry(at: .milliseconds(200)) == false, "the stream is being opened")
  }

  @Test("a lower counter belongs to a new agent")
  func counter() {
    for (sequence, isNew) in [(5, false), (6, false), (4, true)] {
      var feed = FeedState(sessionID: "S", timeout: nil)
      feed.adopt(anchor: 5, isOpen: false, at: .zero)
      feed.retry(at: .zero)
      feed.opened(.multiplexed)
      _ = feed.read(
        ServerMessage.connected("ready", sequence: sequence),
        requestID: "r",
        at: .zero
      )
      let reading = feed.read(ServerMessage.result("r"), requestID: "r", at: .zero)
      #expect(reading.catchUp?.isNewAgent == isNew, "\(sequence)")
      #expect(reading.catchUp?.isComplete == !isNew, "\(sequence)")
    }
  }
}
