// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// Checks cheaply whether a full query of a server would find events that its stream does not
/// report: those of sessions without a subscription, and questions.
struct ServerPulse: Sendable {
  /// The most running sessions to check, with one request each.
  private static let limit = 20

  /// Whether the server counts the events of all its sessions.
  private(set) var isCounted = false
  private var count: Int?
  /// The event counters of the running sessions, by session id.
  private var sequences: [String: Int] = [:]

  /// Returns whether anything may have happened since the last call.
  ///
  /// - Throws: If the server cannot be queried.
  mutating func hasNews(
    of running: [Session],
    _ api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    let hasCounter = api.dialect?.updates.hasCounter ?? true
    let present = hasCounter ? try await api.eventCount(until: deadline) : nil
    var isNew = present != nil && present != count
    (isCounted, count) = (present != nil, present)
    let before = sequences
    sequences = [:]
    for session in running.prefix(Self.limit) {
      let since = before[session.id]
      let answer = try await api.events(
        of: session.id,
        workspaceID: session.workspaceID,
        since: since ?? IntentAPIClient.beyondAllEvents,
        until: deadline
      )
      guard let answer, let sequence = answer.sequence else {
        // The agent is no longer loaded.
        isNew = true
        continue
      }
      sequences[session.id] = sequence
      guard let since, sequence >= since, let events = answer.events else {
        // Without an earlier counter, a full query must find what happened.
        isNew = true
        continue
      }
      isNew = isNew || events.contains { $0.kind.isNews || $0.kind.isAsking }
    }
    return isNew
  }
}

extension ServerMessage.Kind {
  /// Whether the agent starts to ask a question, which streams do not report to watchers.
  fileprivate var isAsking: Bool {
    if case .toolStart(let call) = self { call.tool == "ask" } else { false }
  }
}
