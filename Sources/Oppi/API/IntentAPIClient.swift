// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport

/// A stateless client of one server's REST interface.
struct IntentAPIClient: Sendable {
  let network: Network
  let destination: Network.Destination
  /// The server's label, for errors.
  let serverName: String
  let access: any Access
  /// What the server speaks; `nil` until it was detected.
  var dialect: Dialect?
  /// Who the server is; `nil` while it is being paired.
  var identity: ExpectedIdentity?
  /// The most time for one call, whatever its deadline.
  var callLimit: Duration?
  let longAnswers = LongAnswers()
  /// Keeps a record of the replies to requests; `nil` before the server is paired.
  var recorder: ReplyRecorder?

  /// A copy whose calls take at most `limit`, whatever their deadlines; `nil` for no limit.
  func limited(to limit: Duration?) -> IntentAPIClient {
    var client = self
    client.callLimit = limit
    return client
  }

  var loop: EventLoop { network.loop }

  /// Calls until a deadline, each over a connection of its own.
  func until(_ deadline: EventLoop.Instant) -> ServerCalls {
    ServerCalls(api: self, deadline: deadline)
  }

  /// Calls that take at most `limit` together, each over a connection of its own.
  func within(_ limit: Duration) -> ServerCalls { until(loop.now + limit) }
}

/// Who a paired server must be.
struct ExpectedIdentity: Sendable {
  let id: Fingerprint
  /// Whether it has proved its identity: then it reports it.
  let isProven: Bool
  /// Whether another server answered the last time: then it is asked before anything is sent.
  let isDoubted: Bool
  /// Records the doubt for later commands.
  let doubt: @Sendable (Bool) async -> Void
}

/// A connection to a server until a deadline, with or without authorization.
struct ServerLine {
  let serverName: String
  let connection: HTTPConnection
  let loop: EventLoop
  var deadline: EventLoop.Instant
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
  var onItsOwn: IntentAPIClient {
    var client = self
    client.recorder?.isAutomatic = true
    return client
  }

  /// Records a reply, sends it, and records its result; every reply of this machine passes through
  /// here.
  ///
  /// - Throws: If the reply lets the agent continue, and the request cannot be shown in full; else
  ///   what `send` throws.
  func recording(
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
