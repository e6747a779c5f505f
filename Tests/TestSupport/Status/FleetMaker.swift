// SPDX-License-Identifier: MIT

package import OppiModel
import OppiText
import OppiWire

/// Generates random valid snapshots.
package struct FleetMaker {
  private var random: SeededGenerator

  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  package mutating func fleet() -> FleetStatus {
    FleetStatus(at: moment(), servers: (0..<number(4)).map { _ in server() })
  }

  package mutating func server() -> ServerStatus {
    ServerStatus(
      id: Fingerprint(digest: random.bytes(32)),
      name: text() ?? "studio",
      contactAt: maybe { $0.moment() },
      failure: text(),
      sessions: (0..<number(5)).map { _ in session() }
    )
  }

  private mutating func session() -> SessionStatus {
    var status = SessionStatus(
      id: id(),
      phase: choose(SessionPhase.allCases),
      lastActivity: moment()
    )
    (status.workspaceID, status.workspaceName) = (maybe { $0.id() }, text())
    (status.goal, status.model, status.isLoaded) = (text(), text(), number(2) == 1)
    status.cost = maybe { Double($0.number(1_000_000)) / 997 }
    status.changes = maybe {
      .init(files: $0.number(9), addedLines: $0.number(999), removedLines: $0.number(999))
    }
    status.messageCount = number(9)
    status.turn = maybe { $0.turn() }
    status.approvals = (0..<number(3)).map { _ in approval() }
    status.question = maybe { .init(id: $0.id(), text: $0.text() ?? "") }
    return status
  }

  private mutating func turn() -> TurnSummary {
    TurnSummary(
      startedAt: maybe { $0.moment() },
      endedAt: maybe { $0.moment() },
      operation: text(),
      todo: maybe {
        TodoProgress(completed: $0.number(9), total: $0.number(9), current: $0.text())
      },
      failure: text(),
      resetAt: maybe { $0.moment() },
      end: maybe { $0.choose(TurnEnd.allCases) }
    )
  }

  private mutating func approval() -> PendingApproval {
    PendingApproval(
      id: id(),
      tool: text() ?? "bash",
      summary: text() ?? "",
      reason: text(),
      risk: choose(Risk.allCases),
      expiresAt: maybe { $0.moment() }
    )
  }

  // MARK: - Pieces

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func choose<Element>(_ elements: [Element]) -> Element {
    elements[number(elements.count)]
  }

  private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    number(2) == 0 ? nil : make(&self)
  }

  private mutating func moment() -> Timestamp {
    Timestamp(milliseconds: choose([0, 1_800_000_000_000, .max, .min]) &+ number(100_000))
  }

  private mutating func id() -> String { String((0..<8).map { _ in choose(Array("aB9-_")) }) }

  private mutating func text() -> String? {
    maybe { maker in
      (0...maker.number(4)).map { _ in maker.choose(["fix", "日本語", "<b>", "%{A1:x:}", "e\u{301}"]) }
        .joined(separator: " ")
    }
  }
}
