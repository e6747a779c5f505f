// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Deliveries over streams of sessions, whose servers name agents and recognize repeats.
@Suite struct SessionStreamDeliveryTests {
  static func order(
    isNew: Bool = false,
    thinking: ThinkingLevel? = nil,
    whenBusy: ClientMessage.WhenBusy = .queue,
    waits: Bool = false
  ) -> PromptDelivery.Order {
    var limits = PromptDelivery.Limits()
    if waits { limits.total = nil }
    var prompt = Prompt("do it", clientTurnID: "T")
    prompt.thinking = thinking
    return PromptDelivery.Order(
      sessionID: "S",
      isNewSession: isNew,
      prompt: prompt,
      whenBusy: whenBusy,
      waitsForTurn: waits,
      limits: limits
    )
  }

  /// A delivery with what it has sent.
  struct Run {
    var delivery: PromptDelivery
    var sent: [ClientMessage] = []
    var others: [PromptDelivery.Action] = []
    var now = Duration.zero

    init(_ order: PromptDelivery.Order) { delivery = PromptDelivery(order) }

    init(_ delivery: PromptDelivery) { self.delivery = delivery }

    /// A delivery whose first stream is set up.
    static func opened(
      _ status: String = "ready",
      sequence: Int = 4,
      messageCount: Int = 2,
      epoch: String? = "a",
      for order: PromptDelivery.Order = SessionStreamDeliveryTests.order()
    ) -> Run {
      var run = Run(order)
      run.open(status, sequence: sequence, messageCount: messageCount, epoch: epoch)
      return run
    }

    /// A delivery that repeats its prompt, because it lost the stream.
    static func repeating() -> Run {
      var run = opened()
      run.reopen()
      run.look()
      return run
    }

    mutating func handle(_ events: PromptDelivery.Event...) {
      for event in events { handle(event) }
    }

    private mutating func handle(_ event: PromptDelivery.Event) {
      for action in delivery.handle(event, at: now) {
        switch action {
        case .send(let requests): sent += requests.map(\.message)
        case .settle: break
        default: others.append(action)
        }
      }
    }

    /// Opens a stream, and sets it up.
    mutating func open(
      _ status: String = "ready",
      sequence: Int = 4,
      messageCount: Int = 2,
      epoch: String? = "a"
    ) {
      handle(
        .opened(.session),
        .received(ServerMessage(.streamConnected)),
        .connected(status, sequence: sequence, messageCount: messageCount, epoch: epoch),
        .state(status, messageCount: messageCount)
      )
    }

    /// Loses the stream of a sent prompt, and opens another one.
    mutating func reopen(
      _ status: String = "ready",
      sequence: Int = 4,
      messageCount: Int = 2,
      epoch: String? = "a"
    ) {
      handle(.lost)
      open(status, sequence: sequence, messageCount: messageCount, epoch: epoch)
    }

    mutating func look(
      _ status: Session.Status = .ready,
      userTexts: [String] = [],
      epoch: String? = nil,
      _ events: ServerMessage...
    ) {
      handle(
        .looked(
          PromptDelivery.ServerCheck(
            uptime: nil,
            status: status,
            userTexts: userTexts,
            events: events,
            epoch: epoch
          )
        )
      )
    }

    var prompts: [String] {
      sent.compactMap { message in
        guard case .prompt(let turn, _) = message else { return nil }
        return turn.clientTurnID
      }
    }
  }

  // MARK: - Before the prompt

  @Test("nothing is sent before the stream is set up", arguments: [true, false])
  func silence(isNew: Bool) {
    var run = Run(Self.order(isNew: isNew, thinking: isNew ? .medium : nil))
    run.handle(
      .opened(.session),
      .received(ServerMessage(.streamConnected)),
      .connected("ready", sequence: 4, epoch: "a"),
      .agentStart(4),
      // Only the state shows that the server listens.
      .summary("ready")
    )
    #expect(run.sent.isEmpty)
    run.handle(.state("ready"))
    #expect(run.sent.count == 1)
  }

  @Test(
    "a prompt says what it becomes during a turn, whatever the status is",
    arguments: ["ready", "busy", "starting"],
    [ClientMessage.WhenBusy.queue, .steer]
  )
  func whenBusy(status: String, whenBusy: ClientMessage.WhenBusy) {
    let run = Run.opened(status, for: Self.order(whenBusy: whenBusy))
    let prompt = Prompt("do it", clientTurnID: "T")
    #expect(run.sent == [.prompt(prompt, whenBusy: whenBusy)])
    #expect(run.delivery.departure?.departure.epoch == "a")
  }

  @Test("a turn that is being stopped is awaited; summaries report its end")
  func stopping() {
    var run = Run.opened("stopping")
    #expect(run.sent.isEmpty)
    run.handle(.summary("ready", messageCount: 3))
    #expect(run.prompts == ["T"])
  }

  @Test("a stream that ends as planned before the prompt is replaced, but not without end")
  func expired() {
    var run = Run(Self.order())
    run.handle(.opened(.session))
    for _ in 0..<3 {
      run.handle(.expired)
      #expect(run.others.last == .open)
      run.handle(.opened(.session))
    }
    #expect(run.delivery.verdict == nil)
    run.handle(.expired)
    #expect(run.delivery.verdict == .notSent)
    var other = Run(Self.order())
    other.handle(.opened(.session), .expired)
    other.open()
    #expect(other.prompts == ["T"])
  }

  @Test("a stream that replaces another one must be set up, too")
  func setUpAgain() {
    var run = Run.opened("stopping")
    run.handle(
      .expired,
      .opened(.session),
      .connected("ready", sequence: 4, epoch: "a"),
      .summary("ready")
    )
    #expect(run.sent.isEmpty)
    run.handle(.state("ready"))
    #expect(run.prompts == ["T"])
  }

  @Test("once the stream is set up, an error is no refused start")
  func errorAfterSetUp() {
    var run = Run.opened("stopping")
    run.handle(.error("Permission request not found: x"))
    #expect(run.delivery.verdict == nil)
    run.handle(.summary("ready"))
    #expect(run.prompts == ["T"])
  }

  @Test(
    "the state of another session is not that of the prompt's",
    arguments: [("state", "session"), ("session_summary", "summary")]
  )
  func otherSession(type: String, member: String) {
    func other(_ status: String) -> PromptDelivery.Event {
      let session: JSONValue = ["id": "other", "status": .string(status), "model": "x/y"]
      return .message(.object(["type": .string(type), member: session]))
    }
    var run = Run(Self.order(thinking: .high))
    run.handle(.opened(.multiplexed), other("ready"))
    #expect(run.delivery.location.model == nil)
    run.handle(.connected("stopping"), .state("stopping"), other("ready"))
    #expect(run.sent.map(\.type) == ["subscribe"])
    run.handle(.summary("ready"), other("busy"), .result("T.1.level"))
    #expect(run.sent.map(\.type) == ["subscribe", "set_thinking_level", "prompt"])
  }

  @Test("a delivery over an open stream knows the running turn and the events so far")
  func begun() {
    let (delivery, _) = PromptDelivery.begun(
      Self.order(),
      over: .session,
      status: .busy,
      sequence: 4,
      messageCount: 2,
      epoch: "a",
      at: .zero
    )
    let departure = PromptDelivery.SendRecord(
      clientTurnID: "T",
      kind: .prompt,
      anchor: 4,
      messageCount: 2,
      stream: .session,
      epoch: "a"
    )
    #expect(delivery.departure?.departure == departure)
    var run = Run(delivery)
    run.handle(.acknowledged("T", "dispatched"), .lost)
    #expect(run.delivery.verdict == .delivered(.queued))
  }

  @Test("a refused start ends the delivery with the server's reason")
  func refusedStart() {
    var run = Run(Self.order())
    run.handle(.opened(.session), .error("no such image"), .lost)
    #expect(run.delivery.verdict == .refused(.startFailed("no such image")))
    var full = Run(Self.order())
    full.handle(.opened(.session), .error("Global session limit reached (200)"))
    let limit = PromptDelivery.Refusal.full("Global session limit reached (200)", code: nil)
    #expect(full.delivery.verdict == .refused(limit))
  }

  // MARK: - Acceptance

  @Test("a prompt is queued if the server's queue has it, and not otherwise")
  func queued() {
    for (queue, verdict) in [
      (["other", "T"], PromptDelivery.Verdict?.some(.delivered(.queued))), (["other"], nil),
      ([], nil),
    ] {
      var run = Run.opened("busy")
      run.handle(.acknowledged("T", "accepted"))
      run.handle(.acknowledged("T", "dispatched"))
      run.handle(.queue(queue))
      #expect(run.delivery.verdict == verdict)
    }
  }

  @Test(
    "after the confirmation, a lost stream leaves a prompt in the queue if a turn was running",
    arguments: [
      ("busy", [], PromptDelivery.Progress.queued), ("ready", [], .accepted),
      ("busy", [ServerMessage.agentEnd(5)], .accepted),
      ("ready", [ServerMessage.agentStart(5)], .queued),
    ]
  )
  func queuedUnheard(
    status: String,
    before: [ServerMessage],
    progress: PromptDelivery.Progress
  ) {
    for loss in [PromptDelivery.Event.lost, .expired, .shutOut] {
      var run = Run.opened(status, for: Self.order(waits: true))
      for message in before { run.handle(.received(message)) }
      run.handle(.acknowledged("T", "dispatched"), loss)
      #expect(run.delivery.verdict == .delivered(progress))
    }
  }

  @Test("the turn that runs while a prompt is repeated may be its own")
  func repeatedUnheard() {
    var run = Run.opened(for: Self.order(waits: true))
    run.reopen("busy")
    run.look(.busy)
    run.handle(.acknowledged("T", "dispatched", isDuplicate: true), .lost)
    #expect(run.delivery.verdict == .delivered(.accepted))
  }

  @Test("an error of the running turn does not refuse a prompt that the agent has accepted")
  func errorOfAnother() {
    var run = Run.opened("busy")
    run.handle(.acknowledged("T", "dispatched"), .error("overloaded", sequence: 5))
    #expect(run.delivery.verdict == nil)
    run.now = .seconds(1)
    run.handle(.woke)
    #expect(run.delivery.verdict == .delivered(.accepted))
  }

  @Test("in a new session, an error after the acceptance refuses the prompt")
  func errorOfNewSession() {
    var run = Run.opened(sequence: 0, messageCount: 0, for: Self.order(isNew: true))
    run.handle(.acknowledged("T", "dispatched"), .error("No API key found.", sequence: 1))
    #expect(run.others == [.close, .delete])
    run.handle(.deleted)
    #expect(run.delivery.verdict == .refused(.agentRefused("No API key found.")))
  }

  @Test("a message that leaves the queue is the prompt only by its id", arguments: [true, false])
  func leavesQueue(isOwn: Bool) {
    var run = Run.opened("busy", for: Self.order(waits: true))
    let item: JSONValue = ["id": isOwn ? "T" : "other", "message": "text"]
    run.handle(
      .acknowledged("T", "dispatched"),
      .message(["type": "queue_item_started", "kind": "follow_up", "item": item])
    )
    #expect(run.delivery.verdict == (isOwn ? .delivered(.queued) : nil))
  }

  @Test("a refused prompt leaves nothing behind")
  func refused() {
    var run = Run.opened()
    run.handle(.result("T.1.prompt", failure: "No API key found."))
    #expect(run.delivery.verdict == .refused(.rejected("No API key found.", code: nil)))
  }

  static let needsIdleSession =
    "Prompt requires an idle session; use steer or follow_up while a turn is streaming"

  @Test("a server that does not queue prompts gets a message to the running turn, once")
  func fallback() {
    var run = Run.opened()
    run.handle(.result("T.1.prompt", failure: Self.needsIdleSession))
    #expect(run.sent.count == 2)
    // Nothing was kept of the prompt, so that its id is free.
    #expect(run.sent.last == .followUp(Prompt("do it", clientTurnID: "T")))
    run.handle(.result("T.1.prompt"))
    #expect(run.delivery.verdict == .delivered(.queued))
  }

  @Test(
    "a message for an agent that has just ended is sent to the next one, four times at most",
    arguments: [nil, .high] as [ThinkingLevel?]
  )
  func agentEnded(level: ThinkingLevel?) {
    var run = Run(Self.order(thinking: level))
    let message = level.map(ClientMessage.setThinkingLevel)
    for stream in 1...4 {
      #expect(run.delivery.verdict == nil)
      run.open()
      #expect(run.sent.count == stream && (message == nil || run.sent.last == message))
      let id = "T.\(stream).\(level == nil ? "prompt" : "level")"
      run.handle(.result(id, failure: "Session not active: S"))
    }
    #expect(run.others == [.close, .open, .close, .open, .close, .open])
    #expect(run.delivery.verdict == .refused(.rejected("Session not active: S", code: nil)))
  }
}
