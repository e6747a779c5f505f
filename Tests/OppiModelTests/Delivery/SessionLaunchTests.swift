// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("SessionLaunch")
struct SessionLaunchTests {
  private static let limits = PromptDelivery.Limits()

  @Test("a delivered prompt is accepted")
  func delivered() {
    var launch = SessionLaunch(limits: Self.limits)
    #expect(launch.handle(.delivered, at: .seconds(1)) == [.settle(.delivered(.accepted))])
    #expect(launch.handle(.woke, at: .seconds(60)).isEmpty)
  }

  @Test(
    "a request that cannot have arrived is not sent, unless an earlier one may have arrived",
    arguments: [
      (false, .lost(mayHaveArrived: false, isSilent: false), .notSent),
      (false, .refused, .notSent), (true, .refused, .unknown(.shutOut)),
    ] as [(Bool, SessionLaunch.Event, SessionLaunch.Verdict)]
  )
  func notArrived(isRepeat: Bool, event: SessionLaunch.Event, verdict: SessionLaunch.Verdict) {
    var launch = SessionLaunch(limits: Self.limits, isRepeat: isRepeat)
    #expect(launch.handle(event, at: .zero) == [.settle(verdict)])
  }

  @Test("a lost answer is requested again only after a check of the server")
  func repeats() {
    var launch = SessionLaunch(limits: Self.limits)
    let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: false)
    #expect(launch.handle(lost, at: .seconds(1)).isEmpty)
    #expect(launch.wakeAt == .milliseconds(1100))
    #expect(launch.handle(.woke, at: .milliseconds(1099)).isEmpty)
    #expect(launch.handle(.woke, at: .milliseconds(1100)) == [.check])
    #expect(launch.handle(.checked(isIdempotent: nil), at: .milliseconds(1200)).isEmpty)
    #expect(launch.wakeAt == .milliseconds(1400))
    #expect(launch.handle(.woke, at: .milliseconds(1400)) == [.check])
    #expect(launch.handle(.checked(isIdempotent: true), at: .milliseconds(1500)) == [.request])
    #expect(
      launch.handle(.delivered, at: .milliseconds(1600)) == [.settle(.delivered(.accepted))]
    )
  }

  @Test("a server that no longer recognises repeats gets no second request")
  func downgraded() {
    var launch = SessionLaunch(limits: Self.limits)
    _ = launch.handle(.failed, at: .zero)
    #expect(launch.handle(.woke, at: .milliseconds(100)) == [.check])
    #expect(
      launch.handle(.checked(isIdempotent: false), at: .milliseconds(200))
        == [.settle(.unknown(.agentGone))]
    )
  }

  @Test("an agent that still starts at the end of the time is reported as starting")
  func slowStart() {
    var launch = SessionLaunch(limits: Self.limits)
    #expect(launch.handle(.inProgress, at: .milliseconds(9950)).isEmpty)
    #expect(launch.wakeAt == .seconds(10))
    #expect(launch.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.starting))])
  }

  @Test("the first loss extends the time; a silent server is reported as such")
  func lossAtEnd() {
    var launch = SessionLaunch(limits: Self.limits)
    let lost = SessionLaunch.Event.lost(mayHaveArrived: true, isSilent: true)
    #expect(launch.handle(lost, at: .seconds(10)).isEmpty)
    #expect(launch.handle(.woke, at: .milliseconds(10_100)) == [.check])
    #expect(launch.wakeAt == .seconds(15))
    #expect(launch.handle(.woke, at: .seconds(15)) == [.settle(.unknown(.silence))])
  }

  @Test(
    "an empty session without its prompt is deleted, a used one stays",
    arguments: [true, false]
  )
  func undelivered(isEmpty: Bool) {
    var launch = SessionLaunch(limits: Self.limits)
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
    var launch = SessionLaunch(limits: Self.limits)
    let text = "Global session limit reached (200)"
    _ = launch.handle(.undelivered(text, isEmpty: true), at: .zero)
    _ = launch.handle(.deleted, at: .zero)
    #expect(launch.verdict == .refused(.full(text, code: nil)))
  }

  @Test("a full server has refused the prompt, unless an earlier request may have arrived")
  func noRoom() {
    let text = "Workspace session limit (3) reached"
    var launch = SessionLaunch(limits: Self.limits)
    #expect(launch.handle(.full(text), at: .zero) == [.settle(.refused(.full(text, code: nil)))])
    var other = SessionLaunch(limits: Self.limits)
    _ = other.handle(.failed, at: .zero)
    _ = other.handle(.woke, at: .milliseconds(100))
    _ = other.handle(.checked(isIdempotent: true), at: .milliseconds(200))
    #expect(other.handle(.full(text), at: .milliseconds(300)).isEmpty)
    #expect(other.handle(.woke, at: .seconds(10)) == [.settle(.unknown(.lost))])
  }

  // MARK: - Every order of faults

  /// A server with a record of the key; each step of the walk is one of its possible answers.
  private struct Server: Hashable {
    /// Whether repeats are recognised.
    var isIdempotent = true
    var runs = 0
    /// Whether an earlier request is known to have failed for good.
    var hasFailed = false

    enum Fate: CaseIterable {
      case answered
      case answerLost
      case requestLost
      case failedBefore
      case failedAfter
      case slow
      case undelivered
      case refused
      case full
    }

    mutating func perform(_ fate: Fate) -> SessionLaunch.Event {
      switch fate {
      case .requestLost: return .lost(mayHaveArrived: true, isSilent: false)
      case .failedBefore: return .failed
      case .refused: return .refused
      case .full: return .full("Global session limit reached (200)")
      case .undelivered where runs == 0: return .undelivered("no", isEmpty: true)
      case .slow where runs == 0:
        runs += 1
        return .inProgress
      case .answered, .answerLost, .failedAfter, .slow, .undelivered: break
      }
      if !isIdempotent || runs == 0 { runs += 1 }
      switch fate {
      case .answerLost: return .lost(mayHaveArrived: true, isSilent: true)
      case .failedAfter: return .failed
      default: return .delivered
      }
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
    go(SessionLaunch(limits: Self.limits), Server(), [.request], 11)
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
    case .check?:
      var older = server
      older.isIdempotent = false
      return [
        (.checked(isIdempotent: server.isIdempotent), server),
        (.checked(isIdempotent: false), older), (.checked(isIdempotent: nil), server),
      ]
    case .delete?: return [(.deleted, server), (.woke, server)]
    case .settle?, nil: return [(.woke, server)]
    }
  }
}
