// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiWire

/// Deliveries whose stream is lost after the prompt was sent.
extension SessionStreamDeliveryTests {
  @Test("the same agent gets the same prompt again, and answers that it knows it")
  func repeated() {
    var run = Run.opened("busy")
    run.reopen("busy")
    #expect(run.others == [.open, .look(since: 4)])
    #expect(run.prompts == ["T"])
    run.look(.busy)
    #expect(run.prompts == ["T", "T"] && run.sent[0] == run.sent[1])
    run.handle(.acknowledged("T", "dispatched", isDuplicate: true))
    #expect(run.sent.last == .getQueue)
    run.handle(.queue(["T"]))
    #expect(run.delivery.verdict == .delivered(.queued))
  }

  @Test("a repeated acknowledgement proves the acceptance, unless the server had only read it")
  func proof() {
    for (stage, verdict) in [
      ("accepted", PromptDelivery.Verdict.unknown(.silence)), ("dispatched", .delivered(.accepted)),
      ("started", .delivered(.accepted)),
    ] {
      var run = Run.repeating()
      run.handle(.acknowledged("T", stage, isDuplicate: true))
      #expect(run.delivery.verdict == nil)
      run.now = .seconds(10)
      run.handle(.woke)
      #expect(run.delivery.verdict == verdict, "\(stage)")
    }
  }

  @Test("an acknowledgement proves nothing if the agent may have refused the first prompt")
  func failure() {
    var run = Run.opened()
    run.reopen(sequence: 5)
    run.look(.ready, ServerMessage.error("No API key found.", sequence: 5))
    #expect(run.prompts == ["T", "T"])
    run.handle(.acknowledged("T", "dispatched", isDuplicate: true))
    run.now = .seconds(10)
    run.handle(.woke)
    #expect(run.delivery.verdict == .unknown(.silence))
  }

  @Test(
    "an agent that is not known to be the same one does not get the prompt again",
    arguments: [
      ("b" as String?, nil as String?, false), (nil, nil, false), ("a", nil, true),
      // The agent of the stream was replaced before the query.
      ("a", "b", false), ("a", "a", true),
    ]
  )
  func otherAgent(opened: String?, looked: String?, isRepeated: Bool) {
    var run = Run.opened()
    run.reopen(sequence: looked == nil ? 9 : 4, epoch: opened)
    run.look(epoch: looked)
    #expect(run.delivery.wasRepeated == isRepeated)
    #expect((run.delivery.verdict == .unknown(.agentGone)) == !isRepeated)
  }

  @Test("the events of another agent say nothing about a prompt that the server has passed on")
  func otherEvents() {
    var run = Run.opened(for: SessionStreamDeliveryTests.order(waits: true))
    run.handle(.acknowledged("T", "dispatched"))
    run.now = .seconds(60)
    run.handle(.woke)
    run.look(epoch: "b", ServerMessage.error("No API key found.", sequence: 5))
    #expect(run.delivery.verdict == .delivered(.accepted))
  }

  @Test("the departure remains that to the first agent, whichever streams and events follow")
  func lasting() {
    var run = Run.opened()
    let departure = run.delivery.departure?.departure
    #expect(departure?.epoch == "a" && departure?.anchor == 4)
    for epoch in ["b", "c"] {
      run.reopen(sequence: 9, messageCount: 3, epoch: epoch)
      run.handle(.agentStart(9))
      #expect(run.delivery.departure?.departure == departure, "\(epoch)")
    }
  }

  @Test("in a new session, the conversation shows whether the gone agent had the prompt")
  func conversation() {
    for (texts, verdict) in [
      (["do it"], PromptDelivery.Verdict.delivered(.accepted)),
      (["do it\n\nAttached files:\n- a.png: .pi/attachments/a.png"], .delivered(.accepted)),
      (["other"], .unknown(.agentGone)), ([], .unknown(.agentGone)),
    ] {
      var run = Run.opened(sequence: 0, messageCount: 0, for: Self.order(isNew: true))
      run.reopen(sequence: 0, messageCount: 0, epoch: "b")
      run.look(userTexts: texts)
      #expect(run.delivery.verdict == verdict, "\(texts)")
    }
  }

  @Test("in a new session, the events show that the agent has the prompt, whatever its name")
  func eventsOfNewSession() {
    for (isNew, text, verdict) in [
      (true, "do it", PromptDelivery.Verdict.delivered(.accepted)),
      (true, "other", .unknown(.agentGone)), (false, "do it", .unknown(.agentGone)),
    ] {
      var run = Run.opened(sequence: 0, messageCount: 0, epoch: nil, for: Self.order(isNew: isNew))
      run.reopen("busy", sequence: 2, messageCount: 1, epoch: nil)
      run.look(.busy, ServerMessage.agentStart(1), ServerMessage.user(text, 2))
      #expect(run.delivery.verdict == verdict, "\(isNew), \(text)")
    }
  }

  @Test("events since the prompt decide before it is sent again")
  func events() {
    var run = Run.opened()
    run.reopen(sequence: 6, messageCount: 3)
    run.look(.busy, ServerMessage.agentStart(5), ServerMessage.user("do it", 6))
    #expect(run.delivery.verdict == .delivered(.started))
    #expect(run.prompts == ["T"])
  }

  @Test(
    "a repeat that the server rejects shows nothing, unless its text does",
    arguments: [
      "Session not active: S", "clientTurnId conflict: T", "No API key found.", "disposed",
    ]
  )
  func rejectedRepeat(text: String) {
    var run = Run.repeating()
    run.handle(.result("T.2.prompt", failure: text))
    #expect(run.delivery.verdict == .unknown(.agentGone))
  }

  @Test("a prompt that must not be repeated is unknown")
  func noRepeat() {
    var order = Self.order()
    order.mayRepeat = false
    var run = Run.opened(for: order)
    run.reopen()
    run.look()
    #expect(run.prompts == ["T"])
    #expect(run.delivery.verdict == .unknown(.lost))
  }

  @Test("a session that is gone refuses the prompt, but shows nothing of it after a repeat")
  func sessionGone() {
    let error = ServerMessage.error("Session not found: S")
    var run = Run.opened()
    run.handle(.received(error))
    #expect(run.delivery.verdict == .refused(.rejected("Session not found: S", code: nil)))
    var other = Run.repeating()
    other.handle(.received(error))
    #expect(other.prompts == ["T", "T"] && other.delivery.verdict == nil)
  }

  @Test("a message that replaces a rejected repeat is no repeat, and its rejection counts")
  func replacedRepeat() {
    var run = Run.repeating()
    run.handle(.result("T.2.prompt", failure: Self.needsIdleSession))
    #expect(run.sent.last == .followUp(Prompt("do it", clientTurnID: "T")))
    run.handle(.result("T.2.prompt", failure: "No API key found."))
    #expect(run.delivery.verdict == .refused(.rejected("No API key found.", code: nil)))
  }

  @Test(
    "a departure of an earlier process is repeated only while the server remembers it",
    arguments: [
      (Duration.seconds(599), 3, Session.Status.busy, true), (.seconds(599), 2, .busy, true),
      (.seconds(600), 3, .ready, false), (.seconds(600), 2, .busy, false),
      // Nothing has arrived, and nothing waits.
      (.seconds(600), 2, .ready, true),
      // The agent is not idle, and the prompt may wait.
      (.seconds(600), 2, .stopping, false), (.seconds(600), 2, .starting, false),
    ]
  )
  func memory(elapsed: Duration, messageCount: Int, status: Session.Status, isRepeated: Bool) {
    let departure = PromptDelivery.SendRecord(
      clientTurnID: "T",
      kind: .prompt,
      anchor: 4,
      messageCount: 2,
      stream: .session,
      epoch: "a"
    )
    var run = Run(.resumed(Self.order(), after: departure, at: .zero - elapsed))
    run.open("ready", sequence: 4, messageCount: messageCount)
    run.look(status)
    #expect(run.delivery.wasRepeated == isRepeated)
    #expect((run.delivery.verdict == .unknown(.agentGone)) == !isRepeated)
    let known = run.delivery.departure?.departure
    #expect(isRepeated ? known == departure : true)
  }

  @Test("messages of other turns before the own one are not handed over")
  func handover() {
    let delivery = PromptDelivery(Self.order())
    let other = [
      ServerMessage.queue(["T"]), ServerMessage(.textDelta("other")),
      ServerMessage(.messageEnd(role: .assistant, text: "other"), sequence: 5),
      ServerMessage(.agentEnd, sequence: 6),
    ]
    let own = [
      ServerMessage.agentStart(7), ServerMessage.user("do it", 8), ServerMessage(.textDelta("own")),
    ]
    #expect(delivery.ownPart(of: other + own) == own)
    #expect(delivery.ownPart(of: other) == other)
    let inside = [
      ServerMessage(.textDelta("other")), ServerMessage.queue([]), ServerMessage.user("do it", 8),
    ]
    #expect(delivery.ownPart(of: inside) == Array(inside[1...]))
    #expect(PromptDelivery(Self.order(isNew: true)).ownPart(of: other + own) == other + own)
  }

  @Test("a turn that had ended when the prompt was accepted is not handed over")
  func handoverAfterLoss() {
    let run = Run.opened()
    let delivery = run.delivery
    let other = [
      ServerMessage(.messageEnd(role: .assistant, text: "other"), sequence: 5),
      ServerMessage(.agentEnd, sequence: 6),
    ]
    for acceptance in [
      ServerMessage.acknowledged("T", "dispatched"), ServerMessage.result("T.1.prompt"),
    ] {
      let own = [acceptance, ServerMessage.agentStart(7)]
      #expect(delivery.ownPart(of: other + own) == own)
      // A turn that ends after the acceptance may be the prompt's own.
      #expect(delivery.ownPart(of: [acceptance] + other) == [acceptance] + other)
    }
    let elsewhere = other + [ServerMessage.acknowledged("other", "dispatched")]
    #expect(delivery.ownPart(of: elsewhere) == elsewhere)
  }
}
