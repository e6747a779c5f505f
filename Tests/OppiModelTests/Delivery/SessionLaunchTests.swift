// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

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

  private static func check(
    _ record: SessionLaunch.Record? = nil,
    uptime: Duration = .seconds(3600)
  ) -> SessionLaunch.Event {
    .looked(SessionLaunch.ServerCheck(isIdempotent: true, uptime: uptime, record: record))
  }

  @Test("a delivered prompt is accepted")
  func delivered() {
    var launch = Self.launch()
    #expect(launch.handle(.delivered, at: .seconds(1)) == [.settle(.delivered(.accepted))])
    #expect(launch.handle(.woke, at: .seconds(60)).isEmpty)
  }

  @Test("a request that cannot have arrived is not sent, unless an earlier one may have arrived")
  func notArrived() {
    for event in [.lost(mayHaveArrived: false, isSilent: false), .refused] as [SessionLaunch.Event]
    {
      var launch = Self.launch()
      #expect(launch.handle(event, at: .zero) == [.settle(.notSent)])
    }
    var resumed = Self.resumed(after: .seconds(5))
    #expect(resumed.handle(.refused, at: .zero) == [.settle(.unknown(.shutOut))])
  }

  @Test("after a lost answer, the session is looked for until the server answers")
  func looks() {
    var launch = Self.launch()
    let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: false)
    #expect(launch.handle(lost, at: .seconds(1)).isEmpty)
    #expect(launch.wakeAt == .milliseconds(1100))
    #expect(launch.handle(.woke, at: .milliseconds(1099)).isEmpty)
    #expect(launch.handle(.woke, at: .milliseconds(1100)) == [.look])
    #expect(launch.handle(.looked(nil), at: .milliseconds(1200)).isEmpty)
    #expect(launch.wakeAt == .milliseconds(1400))
    #expect(launch.handle(.woke, at: .milliseconds(1400)) == [.look])
    #expect(launch.handle(Self.check(), at: .milliseconds(1500)) == [.request])
    #expect(
      launch.handle(.delivered, at: .milliseconds(1600)) == [.settle(.delivered(.accepted))]
    )
  }

  @Test(
    "a request without a session is repeated only while its lease cannot have run out",
    arguments: [
      (0, true, [.request]), (89, true, [.request]), (90, true, [.settle(.unknown(.noRecord))]),
      (1 << 40, true, [.settle(.unknown(.noRecord))]), (5, false, [.settle(.unknown(.lost))]),
    ] as [(Int, Bool, [SessionLaunch.Action])]
  )
  func lease(elapsed: Int, mayRepeat: Bool, actions: [SessionLaunch.Action]) {
    var launch = Self.resumed(after: .seconds(elapsed), mayRepeat: mayRepeat)
    #expect(launch.handle(Self.check(), at: .zero) == actions)
    // The time of this process counts too.
    var slow = Self.resumed(after: .seconds(elapsed))
    let last = Duration.seconds(90)
    #expect(slow.handle(Self.check(), at: last) == [.settle(.unknown(.noRecord))])
  }

  @Test(
    "a request without a session is repeated only if the process that got it is still running",
    arguments: [
      (7, [.request]), (6, [.settle(.unknown(.noRecord))]), (nil, [.settle(.unknown(.noRecord))]),
    ] as [(Int?, [SessionLaunch.Action])]
  )
  func anotherProcess(uptime: Int?, actions: [SessionLaunch.Action]) {
    var launch = Self.resumed(after: .seconds(5))
    let uptime = uptime.map { Duration.seconds($0) }
    let seen = SessionLaunch.ServerCheck(isIdempotent: true, uptime: uptime)
    #expect(launch.handle(.looked(seen), at: .seconds(2)) == actions)
  }

  @Test("a launch that goes on is awaited if the server is the same process, and never repeated")
  func sameProcess() {
    let record = SessionLaunch.Record(.launching)
    for (uptime, isSame) in [(7, true), (6, false)] {
      var launch = Self.resumed(after: .seconds(5))
      let seen = Self.check(record, uptime: .seconds(uptime))
      let actions = launch.handle(seen, at: .seconds(2))
      #expect(actions == (isSame ? [] : [.settle(.unknown(.agentGone))]), "\(uptime)")
      guard isSame else { continue }
      #expect(launch.handle(.woke, at: launch.wakeAt) == [.look])
      #expect(launch.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.starting))])
    }
    var silent = Self.resumed(after: .seconds(5))
    let unknown = SessionLaunch.ServerCheck(isIdempotent: true, uptime: nil, record: record)
    #expect(silent.handle(.looked(unknown), at: .zero) == [.settle(.unknown(.agentGone))])
  }

  @Test("a prompt is delivered if the record or the conversation says so, at any time")
  func found() {
    let accepted = PromptDelivery.Verdict.delivered(.accepted)
    var recorded = Self.resumed(after: .seconds(90_000))
    let delivered = SessionLaunch.Record(.ended, isDelivered: true, isEmpty: false)
    #expect(recorded.handle(Self.check(delivered), at: .zero) == [.settle(accepted)])
    for (text, verdict) in [
      (Self.text, accepted), ("something else", .unknown(.agentGone)),
    ] {
      var read = Self.resumed(after: .seconds(90_000))
      var record = SessionLaunch.Record(.launching, isEmpty: false)
      record.userTexts = [text]
      let seen = Self.check(record, uptime: .seconds(1))
      #expect(read.handle(seen, at: .zero) == [.settle(verdict)], "\(text)")
    }
    var ended = Self.resumed(after: .seconds(5))
    #expect(
      ended.handle(Self.check(SessionLaunch.Record(.ended)), at: .zero)
        == [.settle(.unknown(.agentGone))]
    )
  }

  @Test("a launch that the server records as failed is refused, and is not tried again")
  func failed() {
    var launch = Self.resumed(after: .seconds(5))
    let record = SessionLaunch.Record(.failed("No API key found"))
    #expect(launch.handle(Self.check(record), at: .zero) == [.delete])
    #expect(
      launch.handle(.deleted, at: .zero) == [.settle(.refused(.startFailed("No API key found")))]
    )
  }

  @Test("a session with a message is not deleted, even if the launch is recorded as failed")
  func failedInUse() {
    var launch = Self.resumed(after: .seconds(5))
    let record = SessionLaunch.Record(.failed("no login"), isEmpty: false)
    #expect(
      launch.handle(Self.check(record), at: .zero)
        == [.settle(.refused(.startFailed("no login")))]
    )
    let unreadable = SessionLaunch.Record(session: ["launch": ["status": "failed"]])
    #expect(!unreadable.isEmpty)
  }

  @Test("a repeat that cannot have arrived does not show that the first request did not")
  func lostRepeat() {
    var launch = Self.launch()
    _ = launch.handle(.failed, at: .zero)
    _ = launch.handle(.woke, at: .milliseconds(100))
    #expect(launch.handle(Self.check(), at: .milliseconds(200)) == [.request])
    let lost = SessionLaunch.Event.lost(mayHaveArrived: false, isSilent: false)
    #expect(launch.handle(lost, at: .milliseconds(300)).isEmpty)
    #expect(launch.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.lost))])
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
    #expect(record(failed, messages: 0) == SessionLaunch.Record(.failed("no login")))
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
    _ = launch.handle(.failed, at: .zero)
    #expect(launch.handle(.woke, at: .milliseconds(100)) == [.look])
    let older = SessionLaunch.ServerCheck(isIdempotent: false, uptime: .seconds(3600))
    #expect(
      launch.handle(.looked(older), at: .milliseconds(200)) == [.settle(.unknown(.agentGone))]
    )
  }

  @Test("an agent that still starts at the end of the time is reported as starting")
  func slowStart() {
    var launch = Self.launch()
    #expect(launch.handle(.inProgress, at: .milliseconds(9950)).isEmpty)
    #expect(launch.wakeAt == .seconds(10))
    #expect(launch.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.starting))])
  }

  @Test("the first loss extends the time; a silent server is reported as such")
  func lossAtEnd() {
    var launch = Self.launch()
    let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: true)
    #expect(launch.handle(lost, at: .seconds(10)).isEmpty)
    #expect(launch.handle(.woke, at: .milliseconds(10_100)) == [.look])
    #expect(launch.wakeAt == .seconds(15))
    #expect(launch.handle(.woke, at: .seconds(15)) == [.settle(.unknown(.silence))])
  }

  @Test("all further losses share the time that starts at the first one")
  func furtherLosses() {
    var launch = Self.launch()
    let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: false)
    #expect(launch.handle(lost, at: .seconds(10)).isEmpty)
    #expect(launch.handle(.woke, at: .milliseconds(10_100)) == [.look])
    #expect(launch.handle(Self.check(), at: .milliseconds(10_200)) == [.request])
    #expect(launch.handle(lost, at: .seconds(14)).isEmpty)
    #expect(launch.handle(.woke, at: launch.wakeAt) == [.look])
    #expect(launch.wakeAt == .seconds(15))
  }

  @Test(
    "an empty session without its prompt is deleted, a used one stays",
    arguments: [true, false]
  )
  func undelivered(isEmpty: Bool) {
    var launch = Self.launch()
    let reason = "No API key found"
    let verdict = SessionLaunch.Verdict.refused(.startFailed(reason))
    let actions = launch.handle(.undelivered(reason, isEmpty: isEmpty), at: .seconds(1))
    guard isEmpty else {
      #expect(actions == [.settle(verdict)])
      return
    }
    #expect(actions == [.delete])
    #expect(launch.wakeAt == .seconds(4))
    var silent = launch
    #expect(launch.handle(.deleted, at: .seconds(2)) == [.settle(verdict)])
    #expect(silent.handle(.woke, at: .seconds(4)) == [.settle(verdict)])
  }

  @Test("a full server is told apart from a failed start")
  func full() {
    var launch = Self.launch()
    let text = "Global session limit reached (200)"
    _ = launch.handle(.undelivered(text, isEmpty: true), at: .zero)
    _ = launch.handle(.deleted, at: .zero)
    #expect(launch.verdict == .refused(.full(text, code: nil)))
  }

  @Test("a full server has refused the prompt, unless an earlier request may have arrived")
  func noRoom() {
    let text = "Workspace session limit (3) reached"
    var launch = Self.launch()
    #expect(launch.handle(.full(text), at: .zero) == [.settle(.refused(.full(text, code: nil)))])
    var other = Self.launch()
    _ = other.handle(.failed, at: .zero)
    _ = other.handle(.woke, at: .milliseconds(100))
    _ = other.handle(Self.check(), at: .milliseconds(200))
    #expect(other.handle(.full(text), at: .milliseconds(300)).isEmpty)
    #expect(other.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.lost))])
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
        return .undelivered("no", isEmpty: true)
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
      case .failed: record = SessionLaunch.Record(.failed("no"))
      case .delivered: record = SessionLaunch.Record(.ended, isDelivered: true, isEmpty: false)
      }
      return SessionLaunchTests.check(record, uptime: isSame ? .seconds(3600) : .zero)
    }
  }

  @Test("in every order of faults, the prompt runs at most once and the verdict is true")
  func walk() {
    var count = 0
    var verdicts: Set<SessionLaunch.Verdict> = []
    func go(
      _ launch: SessionLaunch,
      _ server: Server,
      _ actions: [SessionLaunch.Action],
      _ left: Int
    ) {
      if let verdict = launch.verdict {
        count += 1
        verdicts.insert(verdict)
        return Self.check(launch, server)
      }
      guard left > 0 else { return }
      for (event, server) in Self.events(after: actions, of: server) {
        var next = launch
        let actions = next.handle(event, at: event == .woke ? next.wakeAt : .seconds(1))
        go(next, server, actions, left - 1)
      }
    }
    go(Self.launch(), Server(), [.request], 9)
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
    after actions: [SessionLaunch.Action],
    of server: Server
  ) -> [(SessionLaunch.Event, Server)] {
    switch actions.first {
    case .request?:
      return Server.Fate.allCases.map { fate in
        var server = server
        let event = server.perform(fate)
        return (event, server)
      } + [(.lost(mayHaveArrived: false, isSilent: false), server), (.woke, server)]
    case .look?:
      let older = SessionLaunch.ServerCheck(isIdempotent: false, uptime: .seconds(3600))
      var later = server
      if later.launch == .leased { later.launch = server.isSame ? .delivered : .overdue }
      return [
        (server.check, server), (later.check, later), (.looked(nil), server),
        (.looked(older), server),
      ]
    case .delete?: return [(.deleted, server), (.woke, server)]
    case .settle?, nil: return [(.woke, server)]
    }
  }
}
