// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// Computes a value from this many entries or events of a session, of many on another thread.
  func compute<Value: Sendable>(
    from count: Int,
    until deadline: EventLoop.Instant? = nil,
    _ work: @escaping @Sendable () -> Value
  ) async throws(OppiError) -> Value {
    do {
      return try await loop.offload(ifLong: count > Transcript.quickCount, until: deadline, work)
    } catch {
      throw .transport(error.transportError, server: serverName)
    }
  }
}

extension ServerCalls {
  /// Computes a value from this many entries or events of a session, until the deadline.
  func compute<Value: Sendable>(
    from count: Int,
    _ work: @escaping @Sendable () -> Value
  ) async throws(OppiError) -> Value {
    try await api.compute(from: count, until: deadline, work)
  }
}

/// A server's records of a session, read over REST without starting its agent.
struct SessionRecords: Sendable {
  enum Phase: Sendable {
    case atWork
    /// The last run just failed, and the agent may retry it.
    case mayBeRetried
    case idle
  }

  private static let limit = Duration.seconds(5)
  /// Longer than any agent's pause before a retry, with a margin for clock differences.
  private static let longestPause = Duration.seconds(60)

  /// The agent's durable events; `nil` if no agent is loaded.
  private let loaded: ServerCalls.Events?
  private let listed: Session
  private let trace: JSONValue
  private let now: Timestamp

  /// Reads the records.
  ///
  /// - Throws: If the server cannot be queried, or does not know the session.
  init(of session: ServerSession, api: IntentAPIClient) async throws(OppiError) {
    let calls = api.within(Self.limit)
    // The events come first, so that a turn that they show as ended is in the trace, which is read
    // later. And after a crash a server may list a session as busy that has no agent.
    loaded = try await calls.events(of: session.id, workspaceID: session.workspaceID, since: 0)
    (listed, trace) = try await calls.session(session.id, workspaceID: session.workspaceID)
    now = api.loop.timestamp()
  }

  /// The session as the server describes it now.
  var session: Session { loaded?.session ?? listed }

  private var events: [ServerMessage] { loaded?.events ?? [] }

  var phase: Phase {
    guard let loaded else { return .idle }
    if session.status.isAtWork { return .atWork }
    let rest = now.milliseconds - listed.lastActivity.milliseconds
    guard rest < Self.longestPause.milliseconds else { return .idle }
    return loaded.events?.mayBeRetried == true ? .mayBeRetried : .idle
  }

  /// The number of entries or events that a conversation is built from.
  var count: Int { max(trace.array?.count ?? 0, events.count) }

  /// Builds the conversation, with the pending requests of a running turn; `listsQuestions` is
  /// whether the pending questions are among them.
  func transcript(
    isAtWork: Bool = false,
    _ requests: [HumanRequest] = [],
    listsQuestions: Bool = false
  ) -> Transcript {
    Transcript(
      trace: trace,
      session: session,
      events: events,
      isAtWork: isAtWork,
      requests: requests,
      listsQuestions: listsQuestions,
      at: now
    )
  }
}
