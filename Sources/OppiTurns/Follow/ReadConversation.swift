// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
import OppiText
import OppiWire

/// Reads a session's conversation without starting its agent.
package struct ReadConversation: Sendable {
  package struct Conversation: Sendable {
    var phase: SessionRecords.Phase
    /// The session as the server describes it now.
    var session: Session
    package var transcript: Transcript
  }

  private typealias Pending = (requests: [HumanRequest], listsQuestions: Bool)

  private static let limit = Duration.seconds(5)

  private let api: IntentAPIClient

  package init(api: IntentAPIClient) { self.api = api }

  /// Reads a conversation, with the pending requests of a running turn.
  ///
  /// - Throws: If the server cannot be queried, or does not know the session.
  package func read(_ session: ServerSession) async throws(OppiError) -> Conversation {
    let records = try await SessionRecords(of: session, api: api)
    let isAtWork = records.phase.isAtWork
    let pending = isAtWork ? try await requests(in: records.session, session) : ([], false)
    let build = { @Sendable (pending: Pending) in
      records.transcript(
        isAtWork: isAtWork,
        pending.requests,
        listsQuestions: pending.listsQuestions
      )
    }
    let transcript = try await api.compute(from: records.count) {
      let first = build(pending)
      return asked(in: first, of: session.id, pending).map(build) ?? first
    }
    return Conversation(phase: records.phase, session: records.session, transcript: transcript)
  }

  /// The question of a running turn whose server lists no questions, by the name of its session;
  /// `nil` if there is none.
  private func asked(
    in transcript: Transcript,
    of sessionID: String,
    _ pending: Pending
  ) -> Pending? {
    guard !pending.listsQuestions, let turn = transcript.last, turn.need == nil,
      var question = turn.unreported
    else { return nil }
    (question.id, question.sessionID) = (sessionID, sessionID)
    return ([.question(question)], true)
  }

  /// What a session waits for: the calls that a gate holds, or dialogs.
  ///
  /// A dialog that the server counts but does not list, as one of kind `editor`, has no text.
  private func requests(
    in listed: Session,
    _ session: ServerSession
  ) async throws(OppiError) -> Pending {
    let calls = api.within(Self.limit)
    do {
      let calls = try await calls.pendingPermissions(sessionID: session.id)
      if api.dialect?.requests == .permissions || !calls.isEmpty {
        return (calls, false)
      }
    } catch  where error.isMissingRoute {
      // The server has no gate.
    }
    let dialogs = try await calls.dialogs(of: session.id).requests
    guard dialogs.isEmpty, let counted = listed.countedQuestion else {
      return (dialogs, true)
    }
    let body: JSONValue = ["title": .string(counted.text), "sessionId": .string(session.id)]
    return ([.question(UserQuestion(id: counted.id, method: "editor", body: body))], true)
  }

  package func turns(
    _ count: Int,
    of transcript: Transcript
  ) async throws(OppiError) -> [Turn] {
    try await api.compute(from: count > 1 ? transcript.entryCount : 0) {
      transcript.turns(last: count)
    }
  }

  /// Computes a value from all of a conversation.
  func compute<Value: Sendable>(
    from transcript: Transcript,
    _ work: @escaping @Sendable () -> Value
  ) async throws(OppiError) -> Value {
    try await api.compute(from: transcript.entryCount, work)
  }

  /// Returns the call with a number, with its full output; `nil` if there is none.
  package func call(
    _ number: Int,
    of transcript: Transcript,
    in session: ServerSession
  ) async throws(OppiError) -> ToolCallActivity? {
    guard var call = transcript.call(number) else { return nil }
    // The trace truncates long outputs.
    if let id = call.wireID, let workspaceID = session.workspaceID,
      call.output.totalBytes > call.recordedOutput?.utf8.count ?? 0,
      let output = try await api.within(Self.limit)
        .wholeOutput(ofCall: id, in: session.id, workspaceID: workspaceID)
    {
      call.recordedOutput = output
    }
    return call
  }
}

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

/// A server's records of a session.
struct SessionRecords: Sendable {
  enum Phase: Sendable, Equatable {
    case atWork
    /// The last run failed, and the agent announced that it continues, within this time.
    case paused(Duration)
    /// The last run just failed, and the agent may retry it.
    case mayBeRetried
    case idle

    /// Whether a turn is running for certain.
    var isAtWork: Bool {
      switch self {
      case .atWork, .paused: true
      case .mayBeRetried, .idle: false
      }
    }
  }

  /// Longer than an agent's pause before a retry.
  private static let longestPause = Duration.seconds(60)

  /// The agent's durable events; `nil` if no agent is loaded.
  let loaded: ServerCalls.Events?
  let listed: Session
  let trace: JSONValue
  /// The time of reading.
  let now: Timestamp

  /// The session as the server describes it now.
  var session: Session { loaded?.session ?? listed }

  private var events: [ServerMessage] { loaded?.events ?? [] }

  var phase: Phase {
    guard let loaded else { return .idle }
    if session.status.isAtWork { return .atWork }
    if let pause = loaded.pause(of: listed, at: now), pause.kind != .possible {
      return .paused(pause.left)
    }
    let rest = now.moved(by: loaded.clockOffset).milliseconds - listed.lastActivity.milliseconds
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

extension SessionRecords {
  private static let limit = Duration.seconds(5)

  /// Reads the records over REST, without starting the session's agent.
  ///
  /// - Throws: If the server cannot be queried, or does not know the session.
  init(of session: ServerSession, api: IntentAPIClient) async throws(OppiError) {
    let calls = api.within(Self.limit)
    // The events come first, so that a turn that they show as ended is in the trace, which is read
    // later. And after a crash a server may list a session as busy that has no agent.
    let loaded = try await calls.events(of: session.id, workspaceID: session.workspaceID, since: 0)
    let (listed, trace) = try await calls.session(session.id, workspaceID: session.workspaceID)
    self.init(loaded: loaded, listed: listed, trace: trace, now: api.loop.timestamp())
  }
}
