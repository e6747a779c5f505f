// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport
import Synchronization

/// Calls of one server's REST interface until a deadline.
struct ServerCalls {
  let api: IntentAPIClient
  private(set) var deadline: EventLoop.Instant
  /// The connection for all calls; `nil` for one each.
  private var connection: HTTPConnection?

  init(api: IntentAPIClient, deadline: EventLoop.Instant) {
    (self.api, self.deadline) = (api, deadline)
  }

  var loop: EventLoop { api.loop }
  var dialect: Dialect? { api.dialect }

  /// Calls over the same connection until another deadline.
  func until(_ deadline: EventLoop.Instant) -> ServerCalls {
    var calls = self
    calls.deadline = deadline
    return calls
  }

  /// Calls over one connection, one after another.
  func overOneConnection() -> ServerCalls {
    over(connection ?? newConnection())
  }

  /// Calls over a connection, one after another.
  func over(_ connection: HTTPConnection) -> ServerCalls {
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
  func answer<Value>(to request: ServerRequest<Value>) async throws(OppiError) -> Value {
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
  struct Dated<Value: Sendable>: Sendable {
    var value: Value
    /// How far the server's clock is ahead of this machine's, to a second; `nil` if the server does
    /// not report its time.
    var clockOffset: Duration?
  }

  /// Sends a request, reads its successful answer, and compares the clocks.
  func datedAnswer<Value>(
    to request: ServerRequest<Value>
  ) async throws(OppiError) -> Dated<Value> {
    let end = api.callLimit.map { min(deadline, loop.now + $0) } ?? deadline
    let exchange = try await until(end).exchange(request.http, request.limit.rawValue)
    let (status, body) = (exchange.response.status, exchange.response.body)
    let begin = loop.now
    let result: Result<Value, UnusableAnswer>
    do {
      result = try await loop.offload(ifLong: body.isLongToRead, until: end) {
        Result { () throws(UnusableAnswer) in
          if (200..<300).contains(status) { return try request.read(body) }
          let json = try? JSONValue(parsing: body)
          throw .refused(json?["error"].string?.safeLine())
        }
      }
    } catch {
      throw .transport(error.transportError, server: api.serverName)
    }
    exchange.turn?.count(begin.duration(to: loop.now), at: loop.now)
    switch result {
    case .success(let value): return Dated(value: value, clockOffset: exchange.clockOffset)
    case .failure(.refused(let message)):
      throw .refused(status: status, message: message, server: api.serverName)
    case .failure(.malformed(let what)): throw malformed(what)
    }
  }

  /// Sends a request, and returns the answer whatever its status; one that is not JSON is `null`.
  func anyAnswer(
    to request: ServerRequest<JSONValue>
  ) async throws(OppiError) -> (status: Int, json: JSONValue) {
    let response = try await exchange(request.http, request.limit.rawValue).response
    return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
  }

  func malformed(_ what: String) -> OppiError {
    .malformedAnswer(server: api.serverName, what: what)
  }

  private struct Exchange {
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
    _ limit: Int
  ) async throws(OppiError) -> Exchange {
    let line = line
    return try await api.authorized(over: line) { headers throws(OppiError) in
      var request = request
      for (name, value) in headers.fields { request.headers.append(name: name, value: value) }
      do throws(TransportError) {
        let sentAt = loop.timestamp()
        let (response, turn) = try await line.connection.exchange(
          request,
          bodyLimit: limit,
          among: api.longAnswers,
          until: deadline
        )
        return Exchange(
          response: response,
          turn: turn,
          sentAt: sentAt,
          receivedAt: loop.timestamp()
        )
      } catch {
        throw .transport(error, server: api.serverName)
      }
    } isRejected: {
      $0.response.status == 401
    }
  }
}

// MARK: - Several calls at a time

extension ServerCalls {
  /// Performs jobs in their order, at most `limit` at a time, over kept connections.
  ///
  /// The first worker uses the connection of these calls; each further worker opens its own. Results
  /// come in no particular order; a `nil` result is dropped.
  func perform<Job: Sendable, Value: Sendable>(
    _ jobs: [Job],
    atMost limit: Int,
    _ work: @escaping @Sendable (Job, ServerCalls) async -> Value?
  ) async -> [Value] {
    let queue = JobQueue(jobs)
    let (api, deadline) = (api, deadline)
    return await withTaskGroup(of: [Value].self) { group in
      for _ in 1..<max(1, min(limit, jobs.count)) {
        group.addTask { await queue.work(over: api.until(deadline).overOneConnection(), work) }
      }
      var values = await queue.work(over: overOneConnection(), work)
      for await more in group { values += more }
      return values
    }
  }
}

private final class JobQueue<Job: Sendable>: Sendable {
  private let jobs: Mutex<[Job]>

  init(_ jobs: [Job]) { self.jobs = Mutex(jobs.reversed()) }

  func work<Value>(
    over calls: ServerCalls,
    _ work: (Job, ServerCalls) async -> Value?
  ) async -> [Value] {
    var values: [Value] = []
    while let job = jobs.withLock({ $0.popLast() }) {
      if let value = await work(job, calls) { values.append(value) }
    }
    return values
  }
}
