// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct TurnStopTests {
  private typealias Action = TurnStop.Action

  private static func request(_ id: String) -> PermissionRequest {
    PermissionRequest(id: id, tool: "bash", input: ["command": "ls"], summary: "ls")
  }

  private static func stop(_ status: Session.Status) throws -> TurnStop {
    try #require(TurnStop(status, events: nil))
  }

  /// A stop that was sent with the id `s`.
  private static func sent(_ status: Session.Status = .busy) throws -> TurnStop {
    var stop = try stop(status)
    _ = stop.opens(status, at: .zero)
    stop.left(stopID: "s")
    return stop
  }

  private static let idle = ServerMessage.Kind.stopConfirmed(reason: "Session already idle")

  // MARK: - Start

  @Test(
    "the first message of a stop depends on the state of the session",
    arguments: [
      (Session.Status.busy, Session.Status.busy, ClientMessage.stop as ClientMessage?),
      (.busy, .ready, .abortRetry), (.busy, .stopping, nil),
      (.ready, .ready, .abortRetry), (.error, .error, .abortRetry),
      (.stopping, .stopping, nil), (.stopping, .ready, .abortRetry), (.stopping, .busy, nil),
    ]
  )
  func begins(first: Session.Status, then: Session.Status, message: ClientMessage?) throws {
    var stop = try Self.stop(first)
    let sent = message.map { [Action.send($0)] } ?? []
    #expect(stop.opens(then, at: .zero) == [.send(.getQueue)] + sent + [.list])
  }

  @Test("a stop that was sent and is in progress on a new stream is repeated if the turn goes on")
  func renewed() throws {
    var stop = try Self.sent()
    for status in [Session.Status.stopping, .busy] {
      #expect(stop.opens(status, at: .zero).contains(.send(.stop)), "\(status)")
    }
  }

  @Test("there is nothing to stop if the agent is idle and no retry is due")
  func nothing() throws {
    #expect(TurnStop(.ready, events: []) == nil)
    #expect(TurnStop(.busy, events: []) != nil)
    // A server that keeps no events may be in the pause before a retry.
    #expect(TurnStop(.ready, events: nil) != nil)
  }

  // MARK: - Confirmations

  @Test("a confirmation and the end of the session end the stop")
  func ends() throws {
    let table: [(ServerMessage.Kind, TurnStop.Outcome)] = [
      (.stopConfirmed(reason: nil), .stopped(dropped: 0)),
      (.stopConfirmed(reason: "aborted"), .stopped(dropped: 0)),
      (.stopFailed(reason: nil), .failed(reason: "the agent does not respond")),
      (.stopFailed(reason: "stuck"), .failed(reason: "stuck")),
    ]
    for (kind, outcome) in table {
      var stop = try Self.sent()
      #expect(stop.hears(kind, at: .zero) == [.finish(outcome)], "\(kind)")
    }
  }

  @Test("an idle confirmation ends a pause, unless the server has forwarded a stop")
  func idleConfirmation() throws {
    var stop = try Self.sent()
    #expect(stop.hears(Self.idle, at: .seconds(1)) == [.send(.abortRetry)])
    #expect(stop.deadline == .seconds(3) && stop.outcomeAtDeadline == .alreadyIdle)
    #expect(stop.hears(Self.idle, at: .seconds(1)) == [])
    var heard = try Self.sent()
    #expect(heard.hears(.stopRequested, at: .zero) == [])
    #expect(heard.hears(Self.idle, at: .zero) == [])
    #expect(heard.outcomeAtDeadline == nil)
  }

  @Test("an attempt that starts first is stopped, with the full time to confirm")
  func otherAttempt() throws {
    var stop = try Self.sent(.ready)
    #expect(stop.deadline == TurnStop.pauseLimit)
    #expect(stop.hears(.agentStart, at: .seconds(1)) == [.send(.stop)])
    #expect(stop.deadline == .seconds(1) + TurnStop.confirmationLimit)
    #expect(stop.hears(.agentStart, at: .seconds(2)) == [])
  }

  @Test("the end of the turn counts at the deadline, and at once in a pause")
  func runEnds() throws {
    var stop = try Self.sent()
    #expect(stop.outcomeAtDeadline == nil)
    #expect(stop.hears(.agentEnd, at: .zero) == [])
    #expect(stop.outcomeAtDeadline == .stopped(dropped: 0))
    var pause = try Self.sent(.ready)
    #expect(pause.hears(.agentEnd, at: .zero) == [.finish(.stopped(dropped: 0))])
  }

  @Test("the failure of another request is no failure of the stop")
  func otherResult() throws {
    func failure(of id: String) -> ServerMessage.Kind {
      .commandResult(CommandResult(requestID: id, failure: "no", data: .null))
    }
    var stop = try Self.sent()
    #expect(stop.hears(failure(of: "q"), at: .zero) == [])
    #expect(stop.hears(failure(of: "s"), at: .zero) == [.finish(.failed(reason: "no"))])
  }

  @Test("queued messages that a stop removes are counted, without those that have begun")
  func dropped() throws {
    func messages(_ ids: String...) -> [QueuedMessage] {
      ids.map { QueuedMessage(id: $0, kind: .followUp, text: "") }
    }
    var stop = try Self.sent()
    _ = stop.hears(.queueState(messages("a", "b", "c")), at: .zero)
    _ = stop.hears(.queueItemStarted(messages("a")[0]), at: .zero)
    _ = stop.hears(.queueState(messages("c")), at: .zero)
    // A message may leave the queue before it begins.
    _ = stop.hears(.queueState([]), at: .zero)
    _ = stop.hears(.queueItemStarted(messages("c")[0]), at: .zero)
    #expect(
      stop.hears(.stopConfirmed(reason: nil), at: .zero) == [.finish(.stopped(dropped: 1))]
    )
  }

  @Test("a ready session is stopped only after the end of the turn, and if the stop was passed on")
  func ready() throws {
    let session = try #require(Session(json: ["id": "S", "status": "ready"]))
    let signs = [ServerMessage.Kind.summary(session), .state(session), .agentSettled]
    for sign in signs {
      var stop = try Self.sent()
      #expect(stop.hears(.stopRequested, at: .zero) == [])
      #expect(stop.hears(sign, at: .zero) == [], "the turn runs")
      #expect(stop.hears(.agentEnd, at: .zero) == [])
      #expect(stop.hears(sign, at: .zero) == [.finish(.stopped(dropped: 0))])
      var other = try Self.sent()
      #expect(other.hears(.agentEnd, at: .zero) == [])
      #expect(other.hears(sign, at: .zero) == [], "the stop is on its way")
    }
  }

  @Test("only a retry that was given up ends a pause")
  func retries() throws {
    let givenUp = ServerMessage.Kind.retryEnd(success: false, error: nil)
    var pause = try Self.sent(.ready)
    #expect(pause.hears(.retryEnd(success: true, error: nil), at: .zero) == [])
    #expect(pause.hears(givenUp, at: .zero) == [.finish(.stopped(dropped: 0))])
    var stop = try Self.sent()
    #expect(stop.hears(givenUp, at: .zero) == [])
  }

  @Test("timeout limits the wait for a confirmation, but not the wait in a pause")
  func timeout() throws {
    for (timeout, deadline) in [(3, 3), (18, 18), (60, 18)] {
      let stop = try #require(TurnStop(.busy, events: nil, timeout: .seconds(timeout)))
      #expect(stop.deadline == .seconds(deadline))
    }
    let pause = try #require(TurnStop(.ready, events: nil, timeout: .seconds(1)))
    #expect(pause.deadline == TurnStop.pauseLimit)
  }

  // MARK: - Requests

  @Test("each pending request is denied once")
  func denials() throws {
    var stop = try Self.sent()
    let (first, second) = (Self.request("a"), Self.request("b"))
    let listed = [first, second, first].map(HumanRequest.permission)
    #expect(stop.lists(listed) == [.refuse(listed[0]), .refuse(listed[1])])
    #expect(stop.hears(.permissionRequest(first), at: .zero) == [])
    let late = Self.request("c")
    #expect(stop.hears(.permissionRequest(late), at: .zero) == [.refuse(.permission(late))])
  }

  @Test("a request that arrives before the stop is sent is not denied")
  func early() throws {
    var stop = try Self.stop(.stopping)
    _ = stop.opens(.stopping, at: .zero)
    #expect(stop.hears(.permissionRequest(Self.request("a")), at: .zero) == [])
  }
}

/// Pending dialogs while a turn is stopped.
@Suite struct TurnStopDialogTests {
  private static func dialog(_ id: String) -> UserQuestion {
    UserQuestion(id: id, method: "select", body: ["title": "Go on?", "options": ["Yes"]])
  }

  private static func stop(_ requests: Dialect.Requests) throws -> TurnStop {
    var stop = try #require(TurnStop(.busy, events: nil, requests: requests))
    _ = stop.opens(.busy, at: .zero)
    stop.left(stopID: "s")
    return stop
  }

  @Test("each pending dialog is cancelled once, listed or announced")
  func cancels() throws {
    var stop = try Self.stop(.dialogs)
    let (first, second) = (Self.dialog("a"), Self.dialog("b"))
    let listed = HumanRequest.question(first)
    #expect(stop.lists([listed, listed]) == [.refuse(listed)])
    #expect(stop.hears(.question(first), at: .zero).isEmpty)
    #expect(stop.hears(.question(second), at: .zero) == [.refuse(.question(second))])
  }

  @Test("questions of servers with a gate end with their turn, and are not cancelled")
  func gate() throws {
    var stop = try Self.stop(.permissions)
    #expect(stop.hears(.question(Self.dialog("a")), at: .zero).isEmpty)
  }

  @Test("no dialog is cancelled before the stop was sent")
  func order() throws {
    var stop = try #require(TurnStop(.busy, events: nil, requests: .dialogs))
    #expect(stop.hears(.question(Self.dialog("a")), at: .zero).isEmpty)
    #expect(stop.opens(.busy, at: .zero) == [.send(.getQueue), .send(.stop), .list])
  }
}
