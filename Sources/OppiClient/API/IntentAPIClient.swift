// SPDX-License-Identifier: MIT

package import EventLoop
import HTTPCodec
package import OppiModel
package import OppiTransport
package import OppiWire

/// A stateless client of one server's REST interface.
package struct IntentAPIClient: Sendable {
  package let network: Network
  package let destination: Network.Destination
  /// The server's label, for errors.
  package let serverName: String
  package let access: any Access
  /// What the server speaks; `nil` until it was detected.
  package var dialect: Dialect?
  /// Who the server is; `nil` while it is being paired.
  var identity: ExpectedIdentity?
  /// The most time for one call, whatever its deadline.
  var callLimit: Duration?
  let longAnswers = LongAnswers()
  /// Keeps a record of the replies to requests; `nil` before the server is paired.
  package var recorder: ReplyRecorder?

  package init(
    network: Network,
    destination: Network.Destination,
    serverName: String,
    access: any Access,
    dialect: Dialect? = nil,
    identity: ExpectedIdentity? = nil,
    callLimit: Duration? = nil,
    recorder: ReplyRecorder? = nil
  ) {
    (self.network, self.destination, self.serverName) = (network, destination, serverName)
    (self.access, self.dialect, self.identity) = (access, dialect, identity)
    (self.callLimit, self.recorder) = (callLimit, recorder)
  }

  /// A copy whose calls take at most `limit`, whatever their deadlines; `nil` for no limit.
  package func limited(to limit: Duration?) -> IntentAPIClient {
    var client = self
    client.callLimit = limit
    return client
  }

  package var loop: EventLoop { network.loop }

  /// Calls until a deadline, each over a connection of its own.
  package func until(_ deadline: EventLoop.Instant) -> ServerCalls {
    ServerCalls(api: self, deadline: deadline)
  }

  /// Calls that take at most `limit` together, each over a connection of its own.
  package func within(_ limit: Duration) -> ServerCalls { until(loop.now + limit) }
}

/// Who a paired server must be.
package struct ExpectedIdentity: Sendable {
  let id: Fingerprint
  /// Whether it has proved its identity: then it reports it.
  let isProven: Bool
  /// Whether another server answered the last time: then it is asked before anything is sent.
  let isDoubted: Bool
  /// Records the doubt for later commands.
  let doubt: @Sendable (Bool) async -> Void
}

/// A connection to a server until a deadline, with or without authorization.
package struct ServerLine {
  package let serverName: String
  package let connection: HTTPConnection
  package let loop: EventLoop
  package var deadline: EventLoop.Instant

  package init(
    serverName: String,
    connection: HTTPConnection,
    loop: EventLoop,
    deadline: EventLoop.Instant
  ) {
    (self.serverName, self.connection) = (serverName, connection)
    (self.loop, self.deadline) = (loop, deadline)
  }
}

// MARK: - Authorization

extension IntentAPIClient {
  /// Performs a request with the headers `Accept` and `Authorization`; once more with another token
  /// if the server rejected the first.
  ///
  /// A rejected request was not performed, so that any request may be repeated.
  ///
  /// - Throws: `OppiError.accessRefused` if the server rejects the second token too, and what
  ///   `perform` throws.
  func authorized<Value>(
    over line: ServerLine,
    _ perform: (HTTPHeaders) async throws(OppiError) -> Value
  ) async throws(OppiError) -> Value {
    let token = try await token(over: line)
    do {
      return try await perform(headers(with: token))
    } catch  where error.refusedStatus == 401 {
      guard let token, let other = try await replacement(of: token, over: line) else { throw error }
      do {
        return try await perform(headers(with: other))
      } catch  where error.refusedStatus == 401 {
        throw .accessRefused(.newTokenRejected, server: serverName)
      }
    }
  }

  /// The token for a request.
  func token(over line: ServerLine) async throws(OppiError) -> String? {
    do {
      return try await access.token(for: .command, over: line)
    } catch {
      throw error.beforeRequest
    }
  }

  private func replacement(
    of rejected: String,
    over line: ServerLine
  ) async throws(OppiError) -> String? {
    do {
      return try await access.replacement(of: rejected, over: line)
    } catch {
      throw error.beforeRequest
    }
  }

  private func headers(with token: String?) -> HTTPHeaders {
    var headers = HTTPHeaders([("Accept", "application/json")])
    if let token {
      network.secrets.learn(token)
      headers.append(name: "Authorization", value: "Bearer \(token)")
    }
    return headers
  }
}

extension IntentAPIClient {
  /// A copy for replies by an option or a setting.
  package var onItsOwn: IntentAPIClient {
    var client = self
    client.recorder?.isAutomatic = true
    return client
  }

  /// Records a reply, sends it, and records its result; every reply of this machine passes through
  /// here.
  ///
  /// - Throws: If the reply lets the agent continue, and the request cannot be shown in full; else
  ///   what `send` throws.
  package func recording(
    _ reply: RequestReply,
    to request: HumanRequest,
    of sessionID: String?,
    sending send: () async throws(OppiError) -> DecisionOutcome
  ) async throws(OppiError) -> DecisionOutcome {
    guard ApprovalPolicy.obstacle(to: reply, request, on: .command) == nil else {
      throw .requestNotWhole(id: request.id)
    }
    var entry = SentReply(reply, to: request, in: sessionID, at: loop.timestamp())
    await recorder?.record(entry)
    do throws(OppiError) {
      let outcome = try await send()
      entry.end(outcome, at: loop.timestamp())
      await recorder?.record(entry)
      return outcome
    } catch {
      entry.end(nil, at: loop.timestamp())
      await recorder?.record(entry)
      throw error
    }
  }
}
