// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiTransport

/// A session to be created.
package struct NewSession: Sendable {
  package var workspaceID: String
  package var name: String?
  package var model: ModelCatalog.OfferedModel?
  /// `nil` for the server's default; only servers that recognise repeats read it.
  package var thinking: ThinkingLevel?
  /// By which the server recognises a repeated request; `nil` on servers that do not.
  package var key: String?

  package init(workspaceID: String, name: String?, model: ModelCatalog.OfferedModel?) {
    self.workspaceID = workspaceID
    self.name = name
    self.model = model
  }

  fileprivate var path: String { "/workspaces/\(workspaceID)/sessions" }

  fileprivate func body(prompt: String? = nil) -> JSONValue {
    .object([
      "name": name.map(JSONValue.string),
      "model": model.map { .string($0.id) },
      "thinking": thinking.map { .string($0.rawValue) },
      "idempotencyKey": key.map(JSONValue.string),
      "prompt": prompt.map(JSONValue.string),
    ])
  }
}

extension IntentAPIClient {
  /// `POST /workspaces/:id/sessions`, without a prompt; no turn starts.
  ///
  /// With a key, a request without an answer, or one at which the server failed, is repeated until
  /// the deadline; the error is then the server's last one, if it sent any.
  package func createSession(
    _ new: NewSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Session {
    guard new.key != nil else { return try await createOnce(new, until: deadline) }
    var refusal: IntentError?
    while true {
      do throws(IntentError) {
        return try await createOnce(new, until: deadline)
      } catch .refused(409, "launch_in_progress", _) {
        // An earlier request with the key has not ended.
        refusal = nil
      } catch  where error.mayBeRepeated && loop.now < deadline {
        // The answer was lost, or the server failed.
        if case .refused = error { refusal = error }
      } catch {
        // The end of the time says less than what the server answered before it.
        throw error.isTimeout ? refusal ?? error : error
      }
      do {
        try await loop.sleep(until: min(deadline, loop.now + Self.creationPause))
      } catch {
        throw .transport(.cancelled, server: serverName)
      }
      guard loop.now < deadline else { throw refusal ?? .noAnswer(server: serverName) }
    }
  }

  private static let creationPause = Duration.milliseconds(250)

  private func createOnce(
    _ new: NewSession,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Session {
    let json: JSONValue
    do {
      json = try await call("POST", new.path, body: new.body(), until: deadline)
    } catch .refused(404, _, _) {
      throw .unknownWorkspace(name: new.workspaceID, known: [])
    }
    guard let session = Session(json: json["session"]) else {
      throw .malformedAnswer(server: serverName, what: "session")
    }
    return session
  }

  /// `POST /workspaces/:id/sessions`, with a prompt and a key: waits until the agent has the prompt.
  func launch(
    _ new: NewSession,
    prompt: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> LaunchAnswer {
    let (status, json) = try await answer(
      "POST",
      new.path,
      body: new.body(prompt: prompt),
      over: connection,
      until: deadline
    )
    if let answer = LaunchAnswer(status: status, json: json) { return answer }
    if status == 404 { throw .unknownWorkspace(name: new.workspaceID, known: []) }
    guard !(200..<300).contains(status) else {
      throw .malformedAnswer(server: serverName, what: "session")
    }
    throw .refused(status: status, message: json["error"].string?.safeLine(), server: serverName)
  }
}

extension IntentError {
  /// Whether a request that the server recognises may be sent again, because its outcome is unknown.
  fileprivate var mayBeRepeated: Bool { mayHaveArrived && isPassing && sessionLimit == nil }
}
