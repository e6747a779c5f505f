// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

/// When the steps for a pending request are due, and which were taken.
@Suite struct EscalationTests {
  private typealias Boards = FleetViewTests

  private static func key(_ id: String, _ command: String = "ls") -> EscalationKey {
    EscalationKey(Boards.request(id, command: command).request, of: Boards.studio)
  }

  private static func due(
    _ done: Set<EscalationStep> = [],
    at seconds: Int,
    contact: Int? = nil,
    again: Duration? = .seconds(600),
    escalates: Bool = true,
    denyAfter: Duration? = .seconds(1800),
    isQuiet: Bool = false
  ) -> [EscalationStep] {
    EscalationLedger.Entry(since: Boards.at(0), done: done).due(
      again: again,
      escalates: escalates,
      denyAfter: denyAfter,
      contactAt: Boards.at(contact ?? seconds),
      now: Boards.at(seconds),
      isQuiet: isQuiet
    )
  }

  @Test("each step is due at its time, and not once it is done")
  func times() {
    let rows: [(Int, [EscalationStep])] = [
      (599, []), (600, [.again]), (1199, [.again]), (1200, [.again, .escalate]),
      (1799, [.again, .escalate]), (1800, [.again, .escalate, .deny]),
      (1_000_000, [.again, .escalate, .deny]), (-5, []),
    ]
    for (seconds, steps) in rows { #expect(Self.due(at: seconds) == steps, "\(seconds)") }
    #expect(Self.due([.again], at: 2000) == [.escalate, .deny])
    #expect(Self.due([.again, .escalate, .deny], at: 2000) == [])
  }

  @Test("a step that is not set is never due")
  func unset() {
    #expect(Self.due(at: 9999, again: nil, denyAfter: nil) == [])
    #expect(Self.due(at: 9999, escalates: false, denyAfter: nil) == [.again])
    #expect(Self.due(at: 9999, again: nil) == [.deny])
  }

  @Test("a step needs an answer of the server from after its time")
  func stale() {
    #expect(Self.due(at: 9999, contact: 599) == [])
    #expect(Self.due(at: 9999, contact: 600) == [.again])
    #expect(Self.due(at: 9999, contact: 1800) == [.again, .escalate, .deny])
  }

  @Test("quiet hours delay notifications and the command, not a denial")
  func quiet() {
    #expect(Self.due(at: 1799, isQuiet: true) == [])
    #expect(Self.due(at: 1800, isQuiet: true) == [.deny])
  }

  @Test("the key depends on the server, the session, the id and the content")
  func keys() {
    #expect(Self.key("a") == Self.key("a"))
    #expect(Self.key("a") != Self.key("b") && Self.key("a") != Self.key("a", "rm"))
    let request = Boards.request("a").request
    #expect(EscalationKey(request, of: Boards.attic) != Self.key("a"))
    #expect(!Self.key("a", "secret").text.contains("secret"))
  }

  @Test("a step is claimed once, also after the ledger was written and read")
  func claims() throws {
    var ledger = EscalationLedger()
    let (isUnknown, key) = (!ledger.claim(.again, of: Self.key("a")), Self.key("a"))
    #expect(isUnknown && ledger.entries.isEmpty)
    ledger.note([key], at: Boards.at(0))
    let isFirst = ledger.claim(.again, of: key)
    #expect(isFirst)
    var read = try #require(EscalationLedger(json: ledger.json))
    #expect(read == ledger)
    let (isSecond, isOther) = (read.claim(.again, of: key), read.claim(.deny, of: key))
    #expect(!isSecond && isOther)
  }

  @Test("a request keeps the time at which it was first seen, unless the clock was set back")
  func since() {
    var ledger = EscalationLedger()
    ledger.note([Self.key("a")], at: Boards.at(100))
    ledger.note([Self.key("a")], at: Boards.at(200))
    #expect(ledger[Self.key("a")]?.since == Boards.at(100))
    ledger.note([Self.key("a")], at: Boards.at(50))
    #expect(ledger[Self.key("a")]?.since == Boards.at(50))
  }

  @Test("requests that are gone are forgotten after a month, and the number of all is limited")
  func bounds() {
    var ledger = EscalationLedger()
    let month = 30 * 86_400
    ledger.note([Self.key("a"), Self.key("b")], at: Boards.at(0))
    ledger.note([Self.key("b")], at: Boards.at(month - 1))
    #expect(ledger[Self.key("a")] != nil)
    ledger.note([Self.key("b")], at: Boards.at(month))
    #expect(ledger[Self.key("a")] == nil && ledger[Self.key("b")] != nil)
    let many = (0..<EscalationLedger.limit).map { Self.key("m\($0)") }
    ledger.note(many, at: Boards.at(month))
    #expect(ledger.entries.count == EscalationLedger.limit && ledger[Self.key("b")] == nil)
    ledger.note(many + [Self.key("late")], at: Boards.at(month + 1))
    #expect(ledger.entries.count == EscalationLedger.limit && ledger[Self.key("late")] == nil)
  }

  @Test("damaged entries are left out")
  func damaged() throws {
    let text = Self.key("a").text
    let json: JSONValue = [
      "requests": [
        "short": ["since": 1, "done": []], text: ["since": 7, "done": ["again", "dance", 3]],
      ]
    ]
    let ledger = try #require(EscalationLedger(json: json))
    #expect(ledger.entries.count == 1)
    #expect(ledger[Self.key("a")] == .init(since: Timestamp(milliseconds: 7), done: [.again]))
    #expect(EscalationLedger(json: ["requests": 3]) == EscalationLedger())
  }
}
