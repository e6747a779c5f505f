// SPDX-License-Identifier: MIT

package import EventLoop
import HTTPCodec
import OppiText
package import OppiTransport
package import OppiWire
import Synchronization

/// Calls of one server's REST interface until a deadline.
package struct ServerCalls {
  /// The default limit for the answers of one server.
  package static let limit = Duration.seconds(5)

  package let api: IntentAPIClient
  package private(set) var deadline: EventLoop.Instant
  /// The connection for all calls; `nil` for one each.
  private var connection: HTTPConnection?

  init(api: IntentAPIClient, deadline: EventLoop.Instant) {
    (self.api, self.deadline) = (api, deadline)
  }

  package var loop: EventLoop { api.loop }
  package var dialect: Dialect? { api.dialect }

  /// Calls over the same connection until another deadline.
  package func until(_ deadline: EventLoop.Instant) -> ServerCalls {
    var calls = self
    calls.deadline = deadline
    return calls
  }

  /// Calls over one connection, one after another.
  package func overOneConnection() -> ServerCalls {
    over(connection ?? newConnection())
  }

  /// Calls over a connection, one after another.
  package func over(_ connection: HTTPConnection) -> ServerCalls {
    var calls = self
    calls.connection = connection
    return calls
  }

  private func newConnection() -> HTTPConnection {
    HTTPConnection(network: api.network, destination: api.destination)
  }

  /// The connection for the next call, until the deadline of all.
  var line: ServerLine {
    ServerLine(
      serverName: api.serverName,
      connection: connection ?? newConnection(),
      loop: loop,
      deadline: deadline
    )
  }

  // MARK: - One request and its answer

  /// Sends a request, and reads its successful answer.
  package func answer<Value>(to request: ServerRequest<Value>) async throws(OppiError) -> Value {
    try await datedAnswer(to: request).value
  }

  /// Sends a request, and reads its successful answer; `nil` after an error that `isAbsence`
  /// accepts.
  func answer<Value>(
    to request: ServerRequest<Value>,
    unless isAbsence: (OppiError) -> Bool
  ) async throws(OppiError) -> Value? {
    do {
      return try await answer(to: request)
    } catch  where isAbsence(error) {
      return nil
    }
  }

  /// A value, and the difference of the clocks at its arrival.
  package struct Dated<Value: Sendable>: Sendable {
    package var value: Value
    /// How far the server's clock is ahead of this machine's, to a second; `nil` if the server does
    /// not report its time.
    package var clockOffset: Duration?
  }

  /// Sends a request, reads its successful answer, and compares the clocks.
  func datedAnswer<Value>(
    to request: ServerRequest<Value>
  ) async throws(OppiError) -> Dated<Value> {
    let end = api.callLimit.map { min(deadline, loop.now + $0) } ?? deadline
    let line = until(end).line
    return try await api.authorized(over: line) {
      headers async throws(OppiError) -> Dated<Value> in
      var http = request.http
      for (name, value) in headers.fields { http.headers.append(name: name, value: value) }
      let sentAt = loop.timestamp()
      let (response, turn): (HTTPResponse, LongAnswers.Turn?)
      do throws(TransportError) {
        (response, turn) = try await line.connection.exchange(
          http,
          bodyLimit: request.limit.rawValue,
          among: api.longAnswers,
          until: end
        )
      } catch .malformedAnswer(.bodyTooLarge) {
        throw .tooLarge(answerTo: http, request.limit, server: api.serverName)
      } catch {
        throw .transport(error, server: api.serverName)
      }
      let date = response.headers["Date"].flatMap { Timestamp(httpDate: $0) }
      let offset = date.map {
        ClockOffset.estimate(date: $0, sentAt: sentAt, receivedAt: loop.timestamp())
      }
      let value = try await value(for: request, in: response, turn, until: end)
      return Dated(value: value, clockOffset: offset)
    }
  }

  /// Reads an answer, off the loop if it is long.
  private func value<Value>(
    for request: ServerRequest<Value>,
    in response: HTTPResponse,
    _ turn: LongAnswers.Turn?,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Value {
    let (status, body, begin) = (response.status, response.body, loop.now)
    let result: Result<Value, UnusableAnswer>
    do {
      result = try await loop.offload(ifLong: body.isLongToRead, until: deadline) {
        Result { () throws(UnusableAnswer) in try request.read(status, body) }
      }
    } catch {
      throw .transport(error.transportError, server: api.serverName)
    }
    turn?.count(begin.duration(to: loop.now), at: loop.now)
    switch result {
    case .success(let value): return value
    case .failure(.refused(let message)):
      throw .refused(status: status, message: message, server: api.serverName)
    case .failure(.malformed(let what)):
      throw .malformedAnswer(server: api.serverName, what: what)
    }
  }
}

// MARK: - Several calls at a time

extension ServerCalls {
  /// The most connections to one server.
  static let connectionLimit = 6

  /// Performs jobs in their order, at most `limit` at a time, over kept connections; returns their
  /// results in the same order.
  ///
  /// The first worker uses the connection of these calls; each further worker opens its own. A `nil`
  /// result is dropped.
  package func perform<Job: Sendable, Value: Sendable>(
    _ jobs: [Job],
    atMost limit: Int = connectionLimit,
    _ work: @escaping @Sendable (Job, ServerCalls) async -> Value?
  ) async -> [Value] {
    let queue = JobQueue(jobs)
    let (api, deadline) = (api, deadline)
    return await withTaskGroup(of: [(place: Int, value: Value)].self) { group in
      for _ in 1..<max(1, min(limit, jobs.count)) {
        group.addTask { await queue.work(over: api.until(deadline).overOneConnection(), work) }
      }
      var values = await queue.work(over: overOneConnection(), work)
      for await more in group { values += more }
      return values.sorted { $0.place < $1.place }.map(\.value)
    }
  }
}

private final class JobQueue<Job: Sendable>: Sendable {
  private let jobs: Mutex<[(place: Int, job: Job)]>

  init(_ jobs: [Job]) { self.jobs = Mutex(jobs.enumerated().reversed().map { ($0, $1) }) }

  func work<Value>(
    over calls: ServerCalls,
    _ work: (Job, ServerCalls) async -> Value?
  ) async -> [(place: Int, value: Value)] {
    var values: [(place: Int, value: Value)] = []
    while let (place, job) = jobs.withLock({ $0.popLast() }) {
      if let value = await work(job, calls) { values.append((place, value)) }
    }
    return values
  }
}
