// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiWire

/// The limits of a delivery: uptimes, counters and deadlines.
@Suite struct DeliveryEdgeTests {
  private static func order(_ id: String = "T", isNew: Bool = true) -> PromptDelivery.Order {
    PromptDelivery.Order(
      sessionID: "S",
      isNewSession: isNew,
      prompt: Prompt("do it", clientTurnID: id)
    )
  }

  private static func departure(
    as kind: PromptDelivery.SendRecord.Kind = .prompt
  ) -> PromptDelivery.SendRecord {
    .init(clientTurnID: "T", kind: kind, anchor: 4, messageCount: 2, stream: .multiplexed)
  }

  /// A delivery of a prompt that was sent `elapsed` ago; its new stream opens at 2 s.
  private static func resumed(
    after elapsed: Duration,
    isNew: Bool = true,
    as kind: PromptDelivery.SendRecord.Kind = .prompt
  ) -> PromptDelivery {
    var delivery = PromptDelivery.resumed(
      order(isNew: isNew),
      after: departure(as: kind),
      at: .zero - elapsed
    )
    _ = delivery.handle(.opened(.multiplexed), at: .seconds(2))
    return delivery
  }

  private static func look(_ uptime: Duration?, _ status: Session.Status = .ready)
    -> PromptDelivery.Event
  {
    .looked(PromptDelivery.ServerCheck(uptime: uptime, status: status))
  }

  @Test("a server is the same process only if its uptime covers the time since departure")
  func age() {
    // The prompt was sent 98 s before the delivery resumed, which was 2 s ago.
    for (uptime, isSame) in [
      (Duration.seconds(100), true), (.seconds(101), true), (.seconds(99), false),
      (.seconds(98), false), (.seconds(96), false), (.zero, false),
    ] {
      var delivery = Self.resumed(after: .seconds(98))
      let actions = delivery.handle(Self.look(uptime), at: .seconds(2))
      #expect((delivery.verdict == nil) == isSame, "\(uptime)")
      #expect(isSame || delivery.verdict == .unknown(.agentGone), "\(uptime)")
      #expect(actions.contains(.close) != isSame, "\(uptime)")
    }
  }

  @Test(
    "a server whose uptime is a second too short is asked again until that shows more",
    arguments: [(1, true), (5, true), (6, false)]
  )
  func youngServer(changesAt look: Int, isSame: Bool) {
    // The prompt was sent 99.5 s ago.
    var delivery = Self.resumed(after: .milliseconds(97_500))
    var now = Duration.seconds(2)
    for number in 0..<12 {
      let uptime = Duration.seconds(number < look ? 99 : 100)
      let actions = delivery.handle(Self.look(uptime), at: now)
      guard delivery.wakeAt == now + .milliseconds(100) else {
        #expect((delivery.verdict == nil) == isSame, "\(number): \(actions)")
        return
      }
      #expect(actions.isEmpty && delivery.verdict == nil)
      now += .milliseconds(100)
      #expect(delivery.handle(.woke, at: now) == [.look(since: nil)])
    }
    Issue.record("the server is asked for too long")
  }

  @Test("a server without a known uptime or without an agent counts as restarted")
  func unknownAge() {
    for event in [Self.look(nil), Self.look(.seconds(1000), .stopped)] {
      var delivery = Self.resumed(after: .seconds(98))
      _ = delivery.handle(event, at: .seconds(2))
      #expect(delivery.verdict == .unknown(.agentGone))
    }
  }

  @Test("after a restart, a prompt is accepted only if its text is in the trace of a new session")
  func trace() {
    for (texts, isAccepted) in [
      (["do it"], true), (["other", " do it\n"], true), (["other"], false), (["do it now"], false),
      ([], false),
    ] {
      for isNew in [true, false] {
        var delivery = Self.resumed(after: .seconds(98), isNew: isNew)
        let check = PromptDelivery.ServerCheck(
          uptime: .zero,
          status: .stopped,
          userTexts: texts
        )
        _ = delivery.handle(.looked(check), at: .seconds(2))
        let isKnown = isAccepted && isNew
        #expect(
          delivery.verdict == (isKnown ? .delivered(.accepted) : .unknown(.agentGone)),
          "\(texts)"
        )
      }
    }
  }

  /// Resumes a prompt, then catches up with a session in the given state.
  private static func caughtUp(
    sequence: Int,
    messageCount: Int,
    isNew: Bool = false,
    as kind: PromptDelivery.SendRecord.Kind = .prompt,
    userTexts: [String] = [],
    _ events: ServerMessage...
  ) -> (PromptDelivery, [PromptDelivery.Action]) {
    var delivery = resumed(after: .seconds(98), isNew: isNew, as: kind)
    let check = PromptDelivery.ServerCheck(
      uptime: .seconds(1000),
      status: .ready,
      userTexts: userTexts
    )
    _ = delivery.handle(.looked(check), at: .seconds(2))
    _ = delivery.handle(
      .connected("ready", sequence: sequence, messageCount: messageCount),
      at: .seconds(2)
    )
    for event in events { _ = delivery.handle(.received(event), at: .seconds(2)) }
    let result = ServerMessage.result("T.1.subscribe")
    let actions = delivery.handle(.received(result), at: .seconds(2))
    return (delivery, actions)
  }

  @Test("a prompt is sent again only if the session has no new message")
  func messageCount() {
    let (again, actions) = Self.caughtUp(sequence: 4, messageCount: 2)
    #expect(again.verdict == nil && again.wasRepeated)
    #expect(actions.contains { if case .send = $0 { true } else { false } })
    let (one, _) = Self.caughtUp(sequence: 4, messageCount: 3)
    #expect(one.verdict == .unknown(.agentGone) && !one.wasRepeated)
    let (new, _) = Self.caughtUp(sequence: 4, messageCount: 3, isNew: true)
    #expect(new.verdict == .delivered(.accepted))
  }

  @Test("a new message in a new session is the prompt unless the trace shows only other messages")
  func otherText() {
    for (texts, isAccepted) in [
      ([], true), (["do it"], true), (["other", " do it\n"], true), (["other"], false),
      (["do it now"], false),
    ] {
      let (delivery, _) = Self.caughtUp(
        sequence: 4,
        messageCount: 3,
        isNew: true,
        userTexts: texts
      )
      let verdict = isAccepted ? .delivered(.accepted) : PromptDelivery.Verdict.unknown(.agentGone)
      #expect(delivery.verdict == verdict, "\(texts)")
      let (started, _) = Self.caughtUp(
        sequence: 5,
        messageCount: 3,
        isNew: true,
        userTexts: texts,
        ServerMessage.agentStart(5)
      )
      let beginning = isAccepted ? .delivered(.started) : PromptDelivery.Verdict.unknown(.agentGone)
      #expect(started.verdict == beginning, "\(texts)")
    }
  }

  @Test("another prompt among the events is not this prompt, nor is its refusal")
  func otherEvent() {
    let other = ServerMessage(
      .messageEnd(role: .user, text: "other"),
      sessionID: "S",
      sequence: 5
    )
    for events in [[other], [other, ServerMessage.error("No API key", sequence: 6)]] {
      var delivery = Self.resumed(after: .seconds(98))
      _ = delivery.handle(Self.look(.seconds(1000)), at: .seconds(2))
      let connected = ServerMessage.connected("ready", sequence: 6, messageCount: 3)
      for message in [connected] + events + [ServerMessage.result("T.1.subscribe")] {
        _ = delivery.handle(.received(message), at: .seconds(2))
      }
      #expect(delivery.verdict == .unknown(.agentGone))
    }
  }

  @Test("a lower counter belongs to a new agent")
  func counter() {
    let (same, _) = Self.caughtUp(sequence: 4, messageCount: 2)
    #expect(same.verdict == nil)
    let (other, _) = Self.caughtUp(sequence: 3, messageCount: 2)
    #expect(other.verdict == .unknown(.agentGone) && !other.wasRepeated)
  }

  @Test("an event belongs to the prompt only if it follows the departure")
  func eventsOfBefore() {
    for (sequence, isOurs) in [(3, false), (4, false), (5, true)] {
      var delivery = Self.resumed(after: .seconds(98))
      _ = delivery.handle(
        .received(
          ServerMessage(
            .messageEnd(role: .user, text: "do it"),
            sessionID: "S",
            sequence: sequence
          )
        ),
        at: .seconds(2)
      )
      #expect((delivery.verdict == .delivered(.started)) == isOurs, "\(sequence)")
    }
  }

  @Test("an acknowledgement of another turn is ignored")
  func turnID() {
    for (id, isOurs) in [("turn-1234", true), ("turn-1235", false), ("turn-123", false)] {
      var delivery = PromptDelivery(Self.order("turn-1234"))
      _ = delivery.handle(.opened(.multiplexed), at: .zero)
      _ = delivery.handle(.connected("ready"), at: .zero)
      _ = delivery.handle(.acknowledged(id, "dispatched"), at: .zero)
      _ = delivery.handle(.lost, at: .seconds(1))
      #expect((delivery.verdict == .delivered(.accepted)) == isOurs, "\(id)")
    }
  }

  @Test("a delivery ends at its deadline, and not earlier")
  func limit() throws {
    var delivery = PromptDelivery(Self.order())
    _ = delivery.handle(.opened(.multiplexed), at: .zero)
    let end = try #require(delivery.wakeAt)
    #expect(end == .seconds(10))
    #expect(delivery.handle(.woke, at: end - .nanoseconds(1)).isEmpty)
    #expect(delivery.verdict == nil)
    #expect(delivery.handle(.woke, at: end) == [.settle(.unknown(.starting))])
  }

  @Test("the second check ends at the later of both deadlines")
  func secondLook() {
    for (lostAt, end) in [(1, 10), (4, 10), (5, 10), (8, 13)] {
      var delivery = PromptDelivery(Self.order())
      _ = delivery.handle(.opened(.multiplexed), at: .zero)
      _ = delivery.handle(.lost, at: .seconds(lostAt))
      #expect(delivery.endsAt == .seconds(end), "\(lostAt)")
    }
  }

  @Test("a prompt that is lost twice keeps the deadline of its first loss")
  func secondLoss() {
    var (delivery, _) = Self.caughtUp(sequence: 4, messageCount: 2)
    #expect(delivery.wasRepeated && delivery.endsAt == .seconds(10))
    _ = delivery.handle(.lost, at: .seconds(9))
    #expect(delivery.endsAt == .seconds(10))
  }

  @Test("a resumed delivery ends at the later of both deadlines")
  func resumedTime() {
    for (total, end) in [(10, 10), (5, 5), (4, 5), (nil, 5)] {
      var order = Self.order()
      order.limits.total = total.map { .seconds($0) }
      let delivery = PromptDelivery.resumed(order, after: Self.departure(), at: .seconds(-98))
      #expect(delivery.endsAt == .seconds(end), "\(total ?? 0)")
    }
  }

  @Test(
    "a queue confirms a message only by its id",
    arguments: [(["T"], true), (["other", "T"], true), (["other"], false), (["T2"], false)],
    [PromptDelivery.SendRecord.Kind.followUp, .steer]
  )
  func queue(_ queue: ([String], Bool), kind: PromptDelivery.SendRecord.Kind) {
    var (delivery, _) = Self.caughtUp(sequence: 4, messageCount: 2, as: kind)
    _ = delivery.handle(.queue(queue.0), at: .seconds(2))
    #expect(delivery.verdict == (queue.1 ? .delivered(.queued) : .unknown(.agentGone)))
  }

  @Test("the delays between streams double from 100 ms to 1.6 s")
  func pauses() throws {
    var delivery = PromptDelivery(Self.order())
    _ = delivery.handle(.opened(.multiplexed), at: .zero)
    #expect(delivery.handle(.lost, at: .zero) == [.open], "the first stream is opened at once")
    let pauses = try (0..<6).map { _ in
      _ = delivery.handle(.lost, at: .zero)
      let next = try #require(delivery.wakeAt)
      _ = delivery.handle(.woke, at: next)
      return next
    }
    #expect(pauses == [100, 200, 400, 800, 1600, 1600].map { .milliseconds($0) })
  }
}
