// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

@Suite("SessionLaunch")
struct SessionLaunchTests {
  private static let limits = PromptDelivery.Limits()
  private static let text = "run the tests"

  private static func launch() -> SessionLaunch { SessionLaunch(of: text, limits: limits) }

  /// A launch whose request an earlier process made.
  private static func resumed(
    after elapsed: Duration,
    mayRepeat: Bool = true
  ) -> SessionLaunch {
    SessionLaunch(of: text, resumedAfter: elapsed, mayRepeat: mayRepeat, limits: limits)
  }

  private static let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: false)

  private static func check(
    _ record: SessionLaunch.Record? = nil,
    uptime: Duration = .seconds(3600)
  ) -> SessionLaunch.Event {
    .looked(SessionLaunch.ServerCheck(isIdempotent: true, uptime: uptime, record: record))
  }

  @Test("a request that cannot have arrived is not sent, unless an earlier one may have arrived")
  func notArrived() {
    for event in [.lost(mayHaveArrived: false, isSilent: false), .refused] as [SessionLaunch.Event]
    {
      var launch = Self.launch()
      #expect(launch.handle(event, at: .zero) == .settled(.notSent))
    }
    var resumed = Self.resumed(after: .seconds(5))
    #expect(resumed.handle(.refused, at: .zero) == .settled(.unknown(.shutOut)))
    var awaited = Self.launch()
    awaited.handle(.inProgress, at: .zero)
    #expect(awaited.handle(.refused, at: .zero) == .settled(.unknown(.shutOut)))
  }

  @Test("after a lost answer, the session is looked for until the server answers")
  func looks() {
    var launch = Self.launch()
    let pause = SessionLaunch.State.pausing(until: .milliseconds(1100))
    #expect(launch.handle(Self.lost, at: .seconds(1)) == pause)
    #expect(launch.handle(.woke, at: .milliseconds(1099)) == pause)
    #expect(launch.handle(.woke, at: .milliseconds(1100)) == .looking)
    let next = SessionLaunch.State.pausing(until: .milliseconds(1400))
    #expect(launch.handle(.looked(nil), at: .milliseconds(1200)) == next)
    #expect(launch.handle(.woke, at: launch.wakeAt) == .looking)
    #expect(launch.handle(Self.check(), at: .milliseconds(1500)) == .requesting)
    let accepted = SessionLaunch.State.settled(.delivered(.accepted))
    #expect(launch.handle(.delivered, at: .milliseconds(1600)) == accepted)
    #expect(launch.handle(.woke, at: .seconds(60)) == accepted)
  }

  @Test(
    "a request without a session is repeated only while its lease cannot have run out",
    arguments: [
      (0, true, .requesting), (89, true, .requesting), (90, true, .settled(.unknown(.noRecord))),
      (1 << 40, true, .settled(.unknown(.noRecord))), (5, false, .settled(.unknown(.lost))),
    ] as [(Int, Bool, SessionLaunch.State)]
  )
  func lease(elapsed: Int, mayRepeat: Bool, next: SessionLaunch.State) {
    var launch = Self.resumed(after: .seconds(elapsed), mayRepeat: mayRepeat)
    #expect(launch.handle(Self.check(), at: .zero) == next)
    // The time of this process counts too.
    var slow = Self.resumed(after: .seconds(elapsed))
    #expect(slow.handle(Self.check(), at: .seconds(90)) == .settled(.unknown(.noRecord)))
  }

  @Test(
    "a request without a session is repeated only if the process that got it is still running",
    arguments: [
      (7, .requesting), (6, .settled(.unknown(.noRecord))), (nil, .settled(.unknown(.noRecord))),
    ] as [(Int?, SessionLaunch.State)]
  )
  func anotherProcess(uptime: Int?, next: SessionLaunch.State) {
    var launch = Self.resumed(after: .seconds(5))
    let uptime = uptime.map { Duration.seconds($0) }
    let seen = SessionLaunch.ServerCheck(isIdempotent: true, uptime: uptime)
    #expect(launch.handle(.looked(seen), at: .seconds(2)) == next)
  }

  @Test("a launch that goes on is awaited if the server is the same process, and never repeated")
  func sameProcess() {
    let record = SessionLaunch.Record(.launching)
    var same = Self.resumed(after: .seconds(5))
    let awaited = same.handle(Self.check(record, uptime: .seconds(7)), at: .seconds(2))
    #expect(awaited == .pausing(until: .milliseconds(2100)))
    #expect(same.handle(.woke, at: same.wakeAt) == .looking)
    #expect(same.handle(.woke, at: .seconds(22)) == .settled(.unknown(.starting)))
    for uptime in [Duration.seconds(6), nil] {
      var other = Self.resumed(after: .seconds(5))
      let seen = SessionLaunch.ServerCheck(isIdempotent: true, uptime: uptime, record: record)
      let next = other.handle(.looked(seen), at: .seconds(2))
      #expect(next == .settled(.unknown(.agentGone)))
    }
  }

  @Test(
    "a prompt is delivered if the record or the conversation says so, at any time",
    arguments: [
      (.ended, true, [], true), (.ended, false, [], false), (.launching, false, [text], true),
      (.launching, false, ["something else"], false),
    ] as [(SessionLaunch.Record.Progress, Bool, [String], Bool)]
  )
  func found(
    progress: SessionLaunch.Record.Progress,
    isRecorded: Bool,
    texts: [String],
    isDelivered: Bool
  ) {
    var launch = Self.resumed(after: .seconds(90_000))
    var record = SessionLaunch.Record(progress, isDelivered: isRecorded, isEmpty: false)
    record.userTexts = texts
    launch.handle(Self.check(record, uptime: .seconds(1)), at: .zero)
    #expect(launch.verdict == (isDelivered ? .delivered(.accepted) : .unknown(.agentGone)))
  }

  @Test("a launch that the server records as failed is refused, and is not tried again")
  func failed() {
    let refused = SessionLaunch.Verdict.refused(.startFailed("No API key found"))
    for isEmpty in [true, false] {
      var launch = Self.resumed(after: .seconds(5))
      let record = SessionLaunch.Record(.failed(.startFailed("No API key found")), isEmpty: isEmpty)
      let next = launch.handle(Self.check(record), at: .zero)
      // A session with a message is not deleted.
      #expect(next == (isEmpty ? .deleting(refused, until: .seconds(3)) : .settled(refused)))
      #expect(launch.handle(.deleted, at: .zero) == .settled(refused))
    }
    let unreadable = SessionLaunch.Record(session: ["launch": ["status": "failed"]])
    #expect(!unreadable.isEmpty)
  }

  /// A launch whose first request failed, and whose second one is being made.
  private static func repeated() -> SessionLaunch {
    var launch = launch()
    launch.handle(.failed, at: .zero)
    launch.handle(.woke, at: .milliseconds(100))
    #expect(launch.handle(check(), at: .milliseconds(200)) == .requesting)
    return launch
  }

  @Test(
    "a repeat that did not arrive or was refused does not show that the first request did not",
    arguments: [
      .lost(mayHaveArrived: false, isSilent: false), .full("Workspace session limit (3) reached"),
    ] as [SessionLaunch.Event]
  )
  func lostRepeat(event: SessionLaunch.Event) {
    var launch = Self.repeated()
    launch.handle(event, at: .milliseconds(300))
    #expect(launch.verdict == nil)
    #expect(launch.handle(.woke, at: .seconds(10)) == .settled(.unknown(.lost)))
  }

  @Test("a record is read from the session, which is empty only without a message")
  func record() {
    func record(_ launch: JSONValue, messages: Int) -> SessionLaunch.Record {
      SessionLaunch.Record(
        session: [
          "id": "s", "status": "ready", "messageCount": .integer(Int64(messages)), "launch": launch,
        ]
      )
    }
    let leased: JSONValue = ["status": "launching", "lease": ["expiresAt": 5]]
    #expect(record(leased, messages: 0) == SessionLaunch.Record(.launching))
    #expect(record(leased, messages: 1).isEmpty == false)
    let failed: JSONValue = [
      "status": "failed", "promptDispatch": "not_sent", "promptError": "no login",
    ]
    #expect(record(failed, messages: 0) == SessionLaunch.Record(.failed(.agentRefused("no login"))))
    for status in ["stopped", "error", "starting"] {
      let session: JSONValue = ["id": "s", "status": .string(status), "launch": failed]
      let unstarted = SessionLaunch.Record(.failed(.startFailed("no login")))
      #expect(SessionLaunch.Record(session: session) == unstarted, "\(status)")
    }
    let accepted: JSONValue = ["status": "accepted", "promptDispatch": "delivered"]
    #expect(
      record(accepted, messages: 1)
        == SessionLaunch.Record(.ended, isDelivered: true, isEmpty: false)
    )
    #expect(record(.null, messages: 0) == SessionLaunch.Record(.ended))
  }

  @Test("a server that no longer recognises repeats gets no second request")
  func downgraded() {
    var launch = Self.launch()
    launch.handle(.failed, at: .zero)
    #expect(launch.handle(.woke, at: .milliseconds(100)) == .looking)
    let older = SessionLaunch.ServerCheck(isIdempotent: false, uptime: .seconds(3600))
    let next = launch.handle(.looked(older), at: .milliseconds(200))
    #expect(next == .settled(.unknown(.agentGone)))
  }

  @Test("an agent that still starts at the end of the time is reported as starting")
  func slowStart() {
    var launch = Self.launch()
    launch.handle(.inProgress, at: .milliseconds(9950))
    #expect(launch.handle(.woke, at: .milliseconds(10_050)) == .looking)
    launch.handle(.inProgress, at: .seconds(20))
    #expect(launch.handle(.woke, at: launch.wakeAt) == .looking)
    #expect(launch.wakeAt == .milliseconds(29_950))
    #expect(launch.handle(.woke, at: .milliseconds(29_950)) == .settled(.unknown(.starting)))
  }

  @Test("with a time limit of the user, an agent that still starts is not awaited longer")
  func slowStartInLimit() {
    var limits = Self.limits
    (limits.total, limits.launch) = (.seconds(4), .zero)
    var launch = SessionLaunch(of: Self.text, limits: limits)
    launch.handle(.inProgress, at: .milliseconds(3950))
    #expect(launch.handle(.woke, at: .seconds(4)) == .settled(.unknown(.starting)))
  }

  @Test("a server that has just started is asked again about a request without a session")
  func young() {
    var launch = Self.resumed(after: .milliseconds(1200))
    let next = launch.handle(Self.check(uptime: .seconds(1)), at: .zero)
    #expect(next == .pausing(until: .milliseconds(100)))
    #expect(launch.handle(.woke, at: .milliseconds(100)) == .looking)
    #expect(launch.handle(Self.check(uptime: .seconds(2)), at: .milliseconds(200)) == .requesting)
  }

  @Test("the first loss extends the time; a silent server is reported as such")
  func lossAtEnd() {
    var launch = Self.launch()
    launch.handle(.lost(mayHaveArrived: true, isSilent: true), at: .seconds(10))
    #expect(launch.handle(.woke, at: .milliseconds(10_100)) == .looking)
    #expect(launch.wakeAt == .seconds(15))
    #expect(launch.handle(.woke, at: .seconds(15)) == .settled(.unknown(.silence)))
  }

  @Test("all further losses share the time that starts at the first one")
  func furtherLosses() {
    var launch = Self.launch()
    launch.handle(Self.lost, at: .seconds(10))
    #expect(launch.handle(.woke, at: .milliseconds(10_100)) == .looking)
    #expect(launch.handle(Self.check(), at: .milliseconds(10_200)) == .requesting)
    launch.handle(Self.lost, at: .seconds(14))
    #expect(launch.handle(.woke, at: launch.wakeAt) == .looking)
    #expect(launch.wakeAt == .seconds(15))
  }

  @Test("the last loss says whether the server is silent or away")
  func silentThenAway() {
    for isSilent in [true, false] {
      var launch = Self.launch()
      launch.handle(.lost(mayHaveArrived: true, isSilent: !isSilent), at: .zero)
      #expect(launch.handle(.woke, at: launch.wakeAt) == .looking)
      #expect(launch.handle(Self.check(), at: .seconds(1)) == .requesting)
      launch.handle(.lost(mayHaveArrived: false, isSilent: isSilent), at: .seconds(2))
      let doubt = isSilent ? PromptDelivery.Doubt.silence : .lost
      #expect(launch.handle(.woke, at: .seconds(10)) == .settled(.unknown(doubt)))
    }
  }

  @Test("an empty session without its prompt is deleted, a used one stays")
  func undelivered() {
    let reason = "No API key found"
    let verdict = SessionLaunch.Verdict.refused(.startFailed(reason))
    var used = Self.launch()
    let next = used.handle(.undelivered(.startFailed(reason), isEmpty: false), at: .seconds(1))
    #expect(next == .settled(verdict))
    for (event, time) in [(SessionLaunch.Event.deleted, 2), (.woke, 4)] {
      var launch = Self.launch()
      let deletion = launch.handle(
        .undelivered(.startFailed(reason), isEmpty: true),
        at: .seconds(1)
      )
      #expect(deletion == .deleting(verdict, until: .seconds(4)) && launch.wakeAt == .seconds(4))
      #expect(launch.handle(event, at: .seconds(time)) == .settled(verdict))
    }
  }

  @Test("a full server is told apart from a failed start")
  func full() {
    let text = "Global session limit reached (200)"
    var launch = Self.launch()
    let refusal = PromptDelivery.Refusal(startFailure: text, code: nil)
    launch.handle(.undelivered(refusal, isEmpty: true), at: .zero)
    #expect(launch.handle(.deleted, at: .zero) == .settled(.refused(.full(text, code: nil))))
    var other = Self.launch()
    #expect(other.handle(.full(text), at: .zero) == .settled(.refused(.full(text, code: nil))))
  }

  // MARK: - Every order of faults

  /// A server with a record of the key; each step of the walk is one of its possible answers.
  private struct Server: Hashable {
    enum Launch { case none, leased, overdue, failed, delivered }

    var launch = Launch.none
    var runs = 0
    /// Whether the conversation has the prompt.
    var isWritten = false
    /// Whether it is still the process that got the first request.
    var isSame = true

    enum Fate: CaseIterable {
      case answered, answerLost, requestLost, failedBefore, undelivered, refused, full
      /// The server ends after the hand-over and before the record, and starts again.
      case killed, killedAndWritten
      case slow
    }

    mutating func perform(_ fate: Fate) -> SessionLaunch.Event {
      switch fate {
      case .requestLost: return .lost(mayHaveArrived: true, isSilent: false)
      case .failedBefore: return .failed
      case .refused: return .refused
      case .full: return .full("Global session limit reached (200)")
      default: break
      }
      switch launch {
      case .delivered: return .delivered
      case .leased: return .inProgress
      case .none, .overdue, .failed: break
      }
      if fate == .undelivered {
        launch = .failed
        return .undelivered(.agentRefused("no"), isEmpty: true)
      }
      runs += 1
      launch = .delivered
      switch fate {
      case .killed, .killedAndWritten:
        (launch, isSame, isWritten) = (.leased, false, fate == .killedAndWritten)
        return .lost(mayHaveArrived: true, isSilent: false)
      case .slow:
        launch = .leased
        return .lost(mayHaveArrived: true, isSilent: true)
      case .answerLost: return .lost(mayHaveArrived: true, isSilent: true)
      default: return .delivered
      }
    }

    var check: SessionLaunch.Event {
      var record: SessionLaunch.Record?
      switch launch {
      case .none: break
      case .leased, .overdue:
        record = SessionLaunch.Record(.launching)
        if isWritten { record?.userTexts = [SessionLaunchTests.text] }
      case .failed: record = SessionLaunch.Record(.failed(.agentRefused("no")))
      case .delivered: record = SessionLaunch.Record(.ended, isDelivered: true, isEmpty: false)
      }
      return SessionLaunchTests.check(record, uptime: isSame ? .seconds(3600) : .zero)
    }
  }

  @Test("in every order of faults, the prompt runs at most once and the verdict is true")
  func walk() {
    var count = 0
    var verdicts: Set<SessionLaunch.Verdict> = []
    func go(_ launch: SessionLaunch, _ server: Server, _ left: Int) {
      if let verdict = launch.verdict {
        count += 1
        verdicts.insert(verdict)
        return Self.check(launch, server)
      }
      guard left > 0 else { return }
      for (event, server) in Self.events(in: launch.state, of: server) {
        var next = launch
        next.handle(event, at: event == .woke ? next.wakeAt : .seconds(1))
        go(next, server, left - 1)
      }
    }
    go(Self.launch(), Server(), 9)
    #expect(count > 500 && verdicts.count > 5, "\(count) ends, \(verdicts)")
  }

  private static func check(_ launch: SessionLaunch, _ server: Server) {
    #expect(server.runs <= 1)
    switch launch.verdict {
    case .delivered?: #expect(server.runs == 1)
    case .notSent?, .refused?: #expect(server.runs == 0)
    case .unknown?, nil: break
    }
  }

  private static func events(
    in state: SessionLaunch.State,
    of server: Server
  ) -> [(SessionLaunch.Event, Server)] {
    switch state {
    case .requesting:
      return Server.Fate.allCases.map { fate in
        var server = server
        let event = server.perform(fate)
        return (event, server)
      } + [(.lost(mayHaveArrived: false, isSilent: false), server), (.woke, server)]
    case .looking:
      let older = SessionLaunch.ServerCheck(isIdempotent: false, uptime: .seconds(3600))
      var later = server
      if later.launch == .leased { later.launch = server.isSame ? .delivered : .overdue }
      return [
        (server.check, server), (later.check, later), (.looked(nil), server),
        (.looked(older), server),
      ]
    case .deleting: return [(.deleted, server), (.woke, server)]
    case .pausing, .settled: return [(.woke, server)]
    }
  }
}
