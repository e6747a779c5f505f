// SPDX-License-Identifier: MIT

import OppiModel
import OppiWire
import Testing

/// Feeds of servers whose sessions have their own streams and whose agents have names.
@Suite struct SessionFeedStateTests {
  private static let now = Duration.seconds(1)

  /// A feed that has seen events up to a number of agent `a`, and whose next stream is open.
  private static func reopened(at anchor: Int, epoch: String? = "a") -> FeedState {
    var feed = FeedState(sessionID: "S", timeout: nil)
    feed.adopt(anchor: anchor, epoch: epoch, isOpen: true, at: .zero)
    _ = feed.expired()
    feed.opened(.session)
    return feed
  }

  private static func receive(_ message: ServerMessage, _ feed: inout FeedState)
    -> FeedState.Reading
  {
    feed.read(message, requestID: "r", at: now)
  }

  /// Sets up a stream, and returns what follows from it.
  private static func setUp(
    _ feed: inout FeedState,
    sequence: Int,
    epoch: String?,
    _ meanwhile: [Int] = []
  ) -> FeedState.Reading {
    _ = receive(ServerMessage.connected("busy", sequence: sequence, epoch: epoch), &feed)
    for number in meanwhile { _ = receive(ServerMessage.agentStart(number), &feed) }
    return receive(ServerMessage.state("busy"), &feed)
  }

  @Test("a stream that ends as planned is opened again at once, and is not reported as lost")
  func planned() {
    var feed = Self.reopened(at: 3)
    #expect(feed.isRenewing && feed.isCatchingUp)
    let reading = Self.setUp(&feed, sequence: 3, epoch: "a")
    #expect(reading.catchUp?.isRenewal == true && reading.catchUp?.isComplete == true)
    #expect(feed.phase == .live && !feed.isRenewing)
    feed.failed(at: Self.now, spread: 0)
    feed.retry(at: .seconds(5))
    feed.opened(.session)
    let later = Self.setUp(&feed, sequence: 3, epoch: "a")
    #expect(later.catchUp?.isRenewal == false)
  }

  @Test("a server that ends each stream at once is a failure after three of them")
  func endless() {
    var feed = FeedState(sessionID: "S", timeout: nil)
    let arePlanned = (0..<5).map { _ in feed.expired() }
    #expect(arePlanned == [true, true, true, false, false])
    feed.failed(at: .zero, spread: 0)
    let isPlanned = feed.expired()
    #expect(isPlanned)
  }

  @Test("a feed of an ended session rests after the planned end of its stream, until it is woken")
  func rest() {
    var feed = Self.reopened(at: 3)
    _ = Self.setUp(&feed, sequence: 3, epoch: "a")
    let hasRestedEarly = feed.rest()
    #expect(!hasRestedEarly && feed.phase == .live)
    _ = Self.receive(ServerMessage(.sessionEnded(reason: nil), sequence: 4), &feed)
    let hasRested = feed.rest()
    #expect(hasRested && feed.phase == .resting && !feed.isRenewing)
    feed.wake()
    #expect(feed.phase == .opening && feed.isRenewing)
    feed.opened(.session)
    let reading = Self.setUp(&feed, sequence: 0, epoch: "b")
    #expect(reading.catchUp?.isRenewal == true && reading.catchUp?.isNewAgent == true)
    // The session is active again.
    let hasRestedAgain = feed.rest()
    #expect(!hasRestedAgain)
  }

  @Test(
    "the named agent and the number decide how the feed catches up",
    arguments: [
      (3, "a" as String?, false, true, false),
      (5, "a", true, true, false),
      (2, "a", false, false, true),
      (5, "b", false, false, true),
      (3, "b", false, false, true),
      (5, nil, false, false, false),
      (3, nil, false, false, false),
      (2, nil, false, false, true),
    ]
  )
  func decision(
    sequence: Int,
    epoch: String?,
    fetches: Bool,
    isComplete: Bool,
    isNewAgent: Bool
  ) {
    var feed = Self.reopened(at: 3)
    let reading = Self.setUp(&feed, sequence: sequence, epoch: epoch)
    #expect((feed.phase == .fetching) == fetches)
    guard !fetches else {
      #expect(feed.anchor == 3)
      return
    }
    #expect(reading.catchUp?.isComplete == isComplete)
    #expect(reading.catchUp?.isNewAgent == isNewAgent)
    #expect(feed.anchor == sequence)
  }

  @Test("without a name before, the agent may be another one")
  func unnamedBefore() {
    var feed = Self.reopened(at: 3, epoch: nil)
    let reading = Self.setUp(&feed, sequence: 5, epoch: "a")
    #expect(reading.catchUp?.isComplete == false && reading.catchUp?.isNewAgent == false)
    // From now on the name is known.
    _ = feed.expired()
    feed.opened(.session)
    _ = Self.setUp(&feed, sequence: 6, epoch: "a")
    #expect(feed.phase == .fetching && feed.anchor == 5)
  }

  @Test("a name that was heard on a stream that broke before its state does not count")
  func brokenSetUp() {
    var feed = Self.reopened(at: 3, epoch: nil)
    _ = Self.receive(ServerMessage.connected("busy", sequence: 5, epoch: "a"), &feed)
    feed.failed(at: Self.now, spread: 0)
    feed.retry(at: .seconds(5))
    feed.opened(.session)
    #expect(Self.setUp(&feed, sequence: 6, epoch: "a").catchUp?.isComplete == false)
  }

  @Test("events during the opening are fetched with those before them, in order")
  func meanwhile() {
    var feed = Self.reopened(at: 3)
    _ = Self.setUp(&feed, sequence: 6, epoch: "a", [6])
    #expect(feed.phase == .fetching && feed.anchor == 3)
    let listed = (4...8).map { ServerMessage.agentStart($0) }
    let (news, catchUp) = feed.fetched(listed, of: "a", at: Self.now)
    // The stream delivers the later ones, in order with the messages between them.
    #expect(news.map(\.sequence) == [4, 5, 6])
    #expect(catchUp?.isComplete == true)
    #expect(Self.receive(ServerMessage.agentStart(7), &feed).isNews)
  }

  @Test(
    "events of another agent, or none, leave a gap",
    arguments: [
      ("b" as String?, true, false), ("a", true, true), (nil, true, true), ("a", false, false),
    ]
  )
  func otherEvents(epoch: String?, areListed: Bool, isComplete: Bool) {
    var feed = Self.reopened(at: 3)
    _ = Self.setUp(&feed, sequence: 5, epoch: "a")
    let listed = areListed ? [4, 5].map { ServerMessage.agentStart($0) } : nil
    let (news, catchUp) = feed.fetched(listed, of: epoch, at: Self.now)
    #expect(catchUp?.isComplete == isComplete)
    #expect(news.count == (isComplete ? 2 : 0))
    #expect(feed.anchor == 5)
  }
}
