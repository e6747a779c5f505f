// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// Fires a prompt into a workspace or a session and learns what became of it.
///
/// With a new session the request that makes it and the stream that carries the prompt are opened at
/// the same moment, and the prompt leaves in one write with the subscription: three round trips
/// over plain TCP. A prompt is sent a second time only under the same `clientTurnId` and only where
/// the server is known to remember it.
package struct AskPi: Sendable {
  private let api: IntentAPIClient
  private let limits: AskLimits
  private let newID: @Sendable () -> String

  /// Makes the flow for one server; `newID` gives unguessable ids for requests.
  package init(
    api: IntentAPIClient,
    limits: AskLimits = AskLimits(),
    newID: @escaping @Sendable () -> String
  ) {
    self.api = api
    self.limits = limits
    self.newID = newID
  }

  private var opener: SessionStreamOpener { SessionStreamOpener(api: api) }

  /// Performs the request; with `keepingStream` the stream stays open and is handed over.
  package func perform(
    _ request: AskRequest,
    keepingStream: Bool = false
  ) async throws(AskFailure) -> AskDelivery {
    let now = EventLoop.Instant.now
    let deadlines = AskDeadlines(connect: now + limits.connect, total: now + limits.total)
    switch request.target {
    case .newSession(let target):
      return try await askNewSession(request, in: target, keepingStream, by: deadlines)
    case .session(let session):
      return try await askSession(request, session, keepingStream, by: deadlines)
    }
  }

  // MARK: A new session

  private func askNewSession(
    _ request: AskRequest,
    in target: ServerWorkspace,
    _ keepsStream: Bool,
    by deadlines: AskDeadlines
  ) async throws(AskFailure) -> AskDelivery {
    async let opening = openEarly(for: target.server, by: deadlines)
    let session: Session
    do {
      session = try await api.createSession(
        workspaceID: target.workspace.id,
        name: request.name,
        model: request.model,
        until: deadlines.connect
      )
    } catch {
      throw AskFailure(error, .notSent)
    }
    var place = ServerSession(
      server: target.server,
      id: session.id,
      workspaceID: target.workspace.id,
      workspaceName: target.workspace.name
    )
    place.workspaceName = session.workspaceName ?? target.workspace.name
    let socket: IntentWebSocket
    do {
      if let early = await opening {
        socket = try early.get()
      } else {
        // The session exists by now; its own stream gets a connecting time of its own.
        let until = min(deadlines.total, .now + limits.connect)
        socket = try await opener.openPerSession(place, until: until)
      }
    } catch {
      throw AskFailure(error, .sessionOnly(sessionID: session.id))
    }
    let conversation = AskConversation(
      request: request,
      session: place,
      model: session.model,
      isNewSession: true,
      keepsStream: keepsStream,
      start: limits.start,
      newID: newID
    )
    return try await deliver(conversation, over: socket, by: deadlines)
  }

  /// Opens `/stream` beside the request that makes the session; `nil` where the server is known to
  /// speak, or turns out to speak, the older dialect.
  private func openEarly(
    for server: PairedServer,
    by deadlines: AskDeadlines
  ) async -> Result<IntentWebSocket, IntentError>? {
    guard server.dialect != .perSession else { return nil }
    do {
      return .success(try await IntentWebSocket.openMultiplexed(api, until: deadlines.connect))
    } catch .refused(404, _, _) {
      return nil
    } catch {
      return .failure(error)
    }
  }

  // MARK: An existing session

  private func askSession(
    _ request: AskRequest,
    _ session: ServerSession,
    _ keepsStream: Bool,
    by deadlines: AskDeadlines
  ) async throws(AskFailure) -> AskDelivery {
    let socket: IntentWebSocket
    do {
      socket = try await opener.open(for: session, until: deadlines.connect)
    } catch {
      throw AskFailure(error, .sessionOnly(sessionID: session.id))
    }
    let conversation = AskConversation(
      request: request,
      session: session,
      model: nil,
      isNewSession: false,
      keepsStream: keepsStream,
      start: limits.start,
      newID: newID
    )
    do {
      return try await deliver(conversation, over: socket, by: deadlines)
    } catch {
      guard case .refused = error.delivery, await isUnknown(session, by: deadlines) else {
        throw error
      }
      throw AskFailure(.unknownSession(name: session.id), .notSent)
    }
  }

  /// Whether the server has no such session, which it says in words only.
  private func isUnknown(_ session: ServerSession, by deadlines: AskDeadlines) async -> Bool {
    let all = try? await api.listSessions(until: deadlines.total)
    return all.map { !$0.contains { $0.id == session.id } } ?? false
  }

  // MARK: Delivery

  /// Sends the prompt and waits for its fate; where the connection is lost in between, asks once
  /// more over a new one.
  private func deliver(
    _ conversation: AskConversation,
    over socket: IntentWebSocket,
    by deadlines: AskDeadlines
  ) async throws(AskFailure) -> AskDelivery {
    var conversation = conversation
    do {
      return try await conversation.run(over: socket, until: deadlines.total)
    } catch {
      guard case .unknown = error.delivery, error.cause.isLostConnection, !Task.isCancelled else {
        throw error
      }
      let deadline = max(deadlines.total, .now + limits.retry)
      let session = conversation.session
      return try await conversation.resume(
        after: error,
        until: deadline
      ) { () async throws(IntentError) in
        let until = min(deadline, .now + limits.connect)
        var session = session
        session.server.dialect = socket.dialect
        return try await opener.open(for: session, until: until)
      }
    }
  }
}

/// When the steps of one ask are given up.
struct AskDeadlines: Sendable {
  var connect: EventLoop.Instant
  var total: EventLoop.Instant
}

extension IntentError {
  /// Whether the stream broke, and did not merely stay silent or answer wrongly.
  fileprivate var isLostConnection: Bool {
    switch self {
    case .hungUp: true
    case .transport(.closed, _), .transport(.ioFailed, _): true
    default: false
    }
  }
}
