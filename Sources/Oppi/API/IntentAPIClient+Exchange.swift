// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport

// MARK: - One request and its answer

extension IntentAPIClient {
  private enum Answer<Value: Sendable>: Sendable {
    case success(Value)
    case refusal(message: String?)
    /// Not a JSON object.
    case malformed
  }

  /// Sends a request, and reads a successful answer.
  func answer<Value: Sendable>(
    to request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection?,
    until deadline: EventLoop.Instant,
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(OppiError) -> Value {
    let read = Self.whole(read)
    return try await datedAnswer(to: request, limit, over: connection, until: deadline, read).value
  }

  /// Reads the bytes of an answer; returns `nil` if they are not a JSON object.
  typealias Reader<Value> = @Sendable ([UInt8]) -> Value?

  static func whole<Value>(_ read: @escaping @Sendable (JSONValue) -> Value) -> Reader<Value> {
    { bytes in
      guard let json = try? JSONValue(parsing: bytes), json.object != nil else { return nil }
      return read(json)
    }
  }

  /// The most elements of a list; a server with more is not usable, and each takes memory.
  private static let elementLimit = 20_000

  /// Reads a list element by element, without the unusable ones; `nil` if there is no such list, or
  /// it is too long.
  static func elements<Element>(
    of name: String,
    _ element: @escaping @Sendable (JSONValue) -> Element?
  ) -> Reader<[Element]?> {
    { bytes in
      var elements: [Element] = []
      var count = 0
      let json = try? JSONValue(parsing: bytes, list: name) {
        count += 1
        if count <= elementLimit, let element = element($0) { elements.append(element) }
      }
      guard let json, json.object != nil else { return nil }
      return .some(json[name].array == nil || count > elementLimit ? nil : elements)
    }
  }

  /// Sends a request, reads a successful answer, and compares the clocks.
  func datedAnswer<Value: Sendable>(
    to request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection?,
    until deadline: EventLoop.Instant,
    _ read: @escaping Reader<Value>
  ) async throws(OppiError) -> Dated<Value> {
    let deadline = callLimit.map { min(deadline, loop.now + $0) } ?? deadline
    let connection = connection ?? self.connection()
    let done = try await authorizedExchange(request, limit, over: connection, until: deadline)
    let (status, body) = (done.response.status, done.response.body)
    let isSuccess = (200..<300).contains(status)
    let answer: Answer<Value>
    let begin = loop.now
    do {
      answer = try await loop.offload(ifLong: body.isLongToRead, until: deadline) {
        guard isSuccess else {
          let json = try? JSONValue(parsing: body)
          return .refusal(message: json?["error"].string?.safeLine())
        }
        return read(body).map { .success($0) } ?? .malformed
      }
    } catch {
      throw .transport(error.transportError, server: serverName)
    }
    done.turn?.count(begin.duration(to: loop.now), at: loop.now)
    switch answer {
    case .success(let value): return Dated(value: value, clockOffset: done.clockOffset)
    case .refusal(let message):
      throw .refused(status: status, message: message, server: serverName)
    case .malformed: throw malformed("JSON")
    }
  }

  func authorizedExchange(
    _ request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Exchange {
    try await authorized(over: connection, until: deadline) {
      headers throws(OppiError) in
      var request = request
      for (name, value) in headers.fields { request.headers.append(name: name, value: value) }
      return try await exchange(request, limit, over: connection, until: deadline)
    } isRejected: {
      $0.response.status == 401
    }
  }

  /// Performs a request with the headers `Accept` and `Authorization`; once more with another token
  /// if the server rejected the first.
  ///
  /// A rejected request was not performed, so that any request may be repeated.
  ///
  /// - Throws: `OppiError.accessRefused` if the server rejects the second token too, and what
  ///   `perform` throws.
  func authorized<Value>(
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant,
    _ perform: (HTTPHeaders) async throws(OppiError) -> Value,
    isRejected: (Value) -> Bool
  ) async throws(OppiError) -> Value {
    let token = try await token(over: connection, until: deadline)
    let value = try await perform(headers(with: token))
    guard isRejected(value), let token,
      let other = try await replacement(of: token, over: connection, until: deadline)
    else { return value }
    let second = try await perform(headers(with: other))
    guard !isRejected(second) else { throw .accessRefused(.newTokenRejected, server: serverName) }
    return second
  }

  /// The token for a request.
  func token(
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> String? {
    do {
      return try await access.token(for: .command, over: connection, until: deadline)
    } catch {
      throw error.beforeRequest
    }
  }

  private func replacement(
    of rejected: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> String? {
    do {
      return try await access.replacement(of: rejected, over: connection, until: deadline)
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

  struct Exchange {
    var response: HTTPResponse
    var turn: LongAnswers.Turn?
    var sentAt: Timestamp
    var receivedAt: Timestamp

    var clockOffset: Duration? {
      response.headers["Date"].flatMap { Timestamp(httpDate: $0) }.map {
        ClockOffset.estimate(date: $0, sentAt: sentAt, receivedAt: receivedAt)
      }
    }
  }

  private func exchange(
    _ request: HTTPRequest,
    _ limit: AnswerLimit,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Exchange {
    do {
      let sentAt = loop.timestamp()
      let (response, turn) = try await connection.exchange(
        request,
        bodyLimit: limit.bytes,
        among: longAnswers,
        until: deadline
      )
      return Exchange(
        response: response,
        turn: turn,
        sentAt: sentAt,
        receivedAt: loop.timestamp()
      )
    } catch {
      throw .transport(error, server: serverName)
    }
  }
}
