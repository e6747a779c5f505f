// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

/// Random changes of sessions, on servers that become unreachable and return.
package struct FleetLife {
  private var random: SeededGenerator
  private var lastRequest = 0
  package private(set) var fleet: FleetStatus

  package init(seed: UInt64, at now: Timestamp) {
    random = SeededGenerator(seed: seed)
    fleet = FleetStatus(
      at: now,
      servers: (1...2).map { number in
        ServerStatus(
          id: Self.serverID(number),
          name: "server-\(number)",
          contactAt: now,
          sessions: (1...3).map { SessionStatus(id: "s-\($0)", phase: .idle, lastActivity: now) }
        )
      }
    )
  }

  package static func serverID(_ number: Int) -> Fingerprint {
    Fingerprint(digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))
  }

  package mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// Changes servers and sessions; sessions of an unreachable server stay unchanged.
  package mutating func goOn(at now: Timestamp) {
    fleet.at = now
    for server in fleet.servers.indices {
      if number(6) == 0 {
        fleet.servers[server].failure = fleet.servers[server].failure == nil ? "away" : nil
      }
      guard fleet.servers[server].failure == nil else { continue }
      fleet.servers[server].contactAt = now
      for session in fleet.servers[server].sessions.indices {
        var present = fleet.servers[server].sessions[session]
        goOn(&present, at: now)
        fleet.servers[server].sessions[session] = present
      }
    }
  }

  private mutating func goOn(_ session: inout SessionStatus, at now: Timestamp) {
    session.approvals.removeAll { $0.hasExpired(at: now) }
    if session.phase == .waiting, session.approvals.isEmpty { session.phase = .running }
    guard number(3) == 0 else { return }
    session.lastActivity = now
    switch session.phase {
    case .running where number(2) == 0:
      lastRequest += 1
      let end = Timestamp(milliseconds: now.milliseconds + 1000 * (60 + number(7200)))
      session.phase = .waiting
      session.approvals = [
        PendingApproval(
          id: "r\(lastRequest)",
          tool: "bash",
          summary: "",
          risk: .write,
          expiresAt: end
        )
      ]
    case .running:
      session.phase = number(4) == 0 ? .failed : .idle
      session.turn?.endedAt = now
      session.turn?.failure = session.phase == .failed ? "overloaded" : nil
      session.turn?.end = session.phase == .failed ? .failed : .finished
    case .waiting:
      session.phase = .running
      session.approvals = []
    case .idle, .failed, .done:
      session.phase = .running
      session.messageCount += 1
      session.turn = TurnSummary(startedAt: now)
    }
  }
}
