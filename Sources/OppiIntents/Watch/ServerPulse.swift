// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// Tells at little cost whether a look at a server would find anything that its stream does not tell:
/// what happens in sessions that are not subscribed to, and questions.
struct ServerPulse: Sendable {
  /// The most running sessions that are asked after, one request each.
  private static let limit = 20

  /// Whether the server counts what happens in all its sessions.
  private(set) var isCounted = false
  private var count: Int?
  /// The counters of the running sessions' events, by their ids.
  private var sequences: [String: Int] = [:]

  /// Returns whether anything may have happened since it was asked last.
  ///
  /// - Throws: Where the server cannot be asked.
  mutating func hasNews(
    of running: [Session],
    _ api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    let present = try await api.eventCount(until: deadline)
    var isNew = present != nil && present != count
    (isCounted, count) = (present != nil, present)
    let before = sequences
    sequences = [:]
    for session in running.prefix(Self.limit) {
      guard let workspaceID = session.workspaceID else { continue }
      let since = before[session.id]
      let answer = try await api.events(
        of: session.id,
        workspaceID: workspaceID,
        since: since ?? IntentAPIClient.beyondAllEvents,
        until: deadline
      )
      guard let answer, let sequence = answer.sequence else {
        // Its agent is gone.
        isNew = true
        continue
      }
      sequences[session.id] = sequence
      guard let since, sequence >= since, let events = answer.events else {
        // What has happened before the first answer is for the look to find.
        isNew = true
        continue
      }
      isNew = isNew || events.contains { $0.kind.isNews || $0.kind.isAsking }
    }
    return isNew
  }
}

extension ServerMessage.Kind {
  /// Whether the agent begins to ask its user something, which streams do not tell to watchers.
  fileprivate var isAsking: Bool {
    if case .toolStart(let call) = self { call.tool == "ask" } else { false }
  }
}
