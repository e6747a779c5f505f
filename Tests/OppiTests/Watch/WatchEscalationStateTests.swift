// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiTurns

/// What a watch remembers of pending requests and of the errors of its file.
@Suite struct WatchEscalationStateTests {
  private static let begin = EventLoop.Instant(elapsed: .seconds(1000))
  private static let error = FileError.newerVersion(path: "/state/escalation.json", version: 9)

  @Test("an error is reported once, and again if it comes back after a success")
  func errors() {
    var escalation = WatchEscalation()
    func fail(after seconds: Int) -> FileError? {
      escalation.noted(.failure(Self.error), [:], of: 0, at: Self.begin + .seconds(seconds))
    }
    #expect(fail(after: 0) == Self.error)
    #expect(escalation.isPausing(at: Self.begin + .seconds(59)))
    #expect(!escalation.isPausing(at: Self.begin + .seconds(60)))
    #expect(fail(after: 60) == nil)
    let ledger = EscalationLedger()
    #expect(escalation.noted(.success(ledger), [:], of: 0, at: Self.begin + .seconds(61)) == nil)
    #expect(!escalation.isPausing(at: Self.begin + .seconds(61)))
    #expect(fail(after: 62) == Self.error)
  }

  @Test("times that were found with earlier settings are not taken")
  func generations() {
    var escalation = WatchEscalation()
    let rules: [WorkspaceReference?: WatchEscalation.DenyRule] = [nil: .init(after: .seconds(60))]
    let success = Result<EscalationLedger, FileError>.success(EscalationLedger())
    _ = escalation.noted(success, rules, of: 0, at: Self.begin)
    #expect(escalation.denyRules.count == 1)
    escalation.forgetRules()
    #expect(escalation.denyRules.isEmpty)
    _ = escalation.noted(success, rules, of: 0, at: Self.begin)
    #expect(escalation.denyRules.isEmpty)
    _ = escalation.noted(success, rules, of: escalation.generation, at: Self.begin)
    #expect(escalation.denyRules.count == 1)
  }

  @Test("a step can have another job after one that failed or ended")
  func freed() {
    var escalation = WatchEscalation()
    escalation.busy = [.again, .deny]
    _ = escalation.failed(.deny, because: Self.error, at: Self.begin)
    #expect(escalation.busy == [.again])
    escalation.settle(.again, [])
    #expect(escalation.busy.isEmpty)
  }

  @Test("after new requests were recorded, or could not be, further ones can be")
  func noted() {
    let results: [Result<EscalationLedger, FileError>] = [
      .success(EscalationLedger()), .failure(Self.error),
    ]
    for result in results {
      var escalation = WatchEscalation()
      escalation.isNoting = true
      _ = escalation.noted(result, [:], of: 0, at: Self.begin)
      #expect(!escalation.isNoting)
    }
  }

  @Test("the requests of servers that are no longer paired are forgotten, others are not")
  func unpaired() throws {
    var escalation = WatchEscalation()
    for number: UInt8 in 1...2 {
      escalation.take(
        ServerOverview(
          server: try .sample(number),
          sessions: [],
          requests: [.call("a", "ls")],
          clockOffset: .zero,
          at: .noon
        )
      )
    }
    let pending = try #require(escalation.listings[Fingerprint.sample(1)]?.requests.first)
    #expect(escalation.isPending(pending))
    escalation.keep([Fingerprint.sample(2)])
    #expect(escalation.listings.keys.map(\.self) == [Fingerprint.sample(2)])
    #expect(!escalation.isPending(pending), "the same request of another server is not it")
  }

  @Test("steps are due for the most urgent request first, and not for an expired one")
  func due() throws {
    var escalation = WatchEscalation()
    let now = Timestamp.ago(-600)
    escalation.take(
      ServerOverview(
        server: try .sample(1),
        sessions: [],
        requests: [
          .call("harmless", "ls"), .call("over", "rm -rf /", timeoutAt: now),
          .call("late", "rm -rf x", timeoutAt: now.moved(by: .seconds(60))),
          .call("harmful", "rm -rf y", timeoutAt: now.moved(by: .seconds(1))),
        ],
        clockOffset: .zero,
        at: now
      )
    )
    var ledger = EscalationLedger()
    ledger.note(escalation.listings.values.flatMap { $0.requests.map(\.key) }, at: .noon)
    _ = escalation.noted(.success(ledger), [:], of: 0, at: Self.begin)
    let rules = WatchRules(again: .seconds(600))
    let due = escalation.due(by: rules, at: now, isQuiet: false)
    let ids = due.mapValues { $0.map(\.row.request.id) }
    #expect(ids == [.again: ["harmful", "late", "harmless"]])
  }

  @Test("another call under the id of a pending request has steps of its own")
  func replaced() throws {
    var escalation = WatchEscalation()
    var keys: [EscalationKey] = []
    for command in ["ls", "ls", "rm -rf /"] {
      escalation.take(
        ServerOverview(
          server: try .sample(1),
          sessions: [],
          requests: [.call("a", command)],
          clockOffset: .zero,
          at: .noon
        )
      )
      keys += escalation.listings.values.flatMap { $0.requests.map(\.key) }
    }
    #expect(keys.count == 3 && Set(keys.prefix(2)).count == 1 && Set(keys).count == 2)
  }

  @Test("a rule denies on its own server only, and after an answer of that server")
  func denyRules() throws {
    var escalation = WatchEscalation()
    let now = Timestamp.ago(-600)
    let answers: [(server: UInt8, at: Timestamp)] = [(1, now), (2, now), (3, .ago(-599))]
    for (server, at) in answers {
      var call = PermissionRequest.call("a", "ls")
      call.workspaceID = "W"
      escalation.take(
        ServerOverview(
          server: try .sample(server),
          sessions: [],
          requests: [.permission(call)],
          clockOffset: .zero,
          at: at
        )
      )
    }
    var ledger = EscalationLedger()
    ledger.note(escalation.listings.values.flatMap { $0.requests.map(\.key) }, at: .noon)
    var rules: [WorkspaceReference?: WatchEscalation.DenyRule] = [:]
    for server in [1, 3] {
      let workspace = WorkspaceReference(serverID: Fingerprint.sample(server), workspaceID: "W")
      rules[workspace] = WatchEscalation.DenyRule(after: .seconds(600))
    }
    _ = escalation.noted(.success(ledger), rules, of: 0, at: Self.begin)
    let due = escalation.due(by: WatchRules(), at: now, isQuiet: false)
    #expect(due.mapValues { $0.map(\.row.id.serverID) } == [.deny: [Fingerprint.sample(1)]])
  }

  @Test("requests that cannot be told apart have no steps, and others do")
  func alike() throws {
    var escalation = WatchEscalation()
    let twice = HumanRequest.call("a", "git push")
    escalation.take(
      ServerOverview(
        server: try .sample(1),
        sessions: [],
        requests: [twice, twice, .call("b", "git push"), .call("a", "ls")],
        clockOffset: .zero,
        at: Timestamp(seconds: 1)
      )
    )
    let rows = try #require(escalation.listings[Fingerprint.sample(1)]).requests
    #expect(rows.map(\.row.request) == [.call("b", "git push"), .call("a", "ls")])
  }

  private static func keys(_ numbers: Range<Int>) -> [EscalationKey] {
    numbers.map { number in
      let question = UserQuestion(id: "q\(number)", method: "confirm", body: ["title": "Proceed?"])
      return EscalationKey(.question(question), of: Fingerprint.sample(1))
    }
  }

  @Test("an unknown request is recorded, unless as many pending ones as possible are known")
  func lacks() {
    let limit = EscalationLedger.limit
    var ledger = EscalationLedger()
    #expect(!ledger.lacks([]) && ledger.lacks(Self.keys(0..<1)))
    ledger.note(Self.keys(0..<limit), at: .noon)
    #expect(!ledger.lacks(Self.keys(0..<limit)))
    #expect(!ledger.lacks(Self.keys(0..<limit + 1)), "it has no room")
    #expect(ledger.lacks(Self.keys(1..<limit + 1)), "a request that is gone makes room")
    ledger.note(Self.keys(1..<limit + 1), at: .noon)
    #expect(!ledger.lacks(Self.keys(1..<limit + 1)))
  }
}
