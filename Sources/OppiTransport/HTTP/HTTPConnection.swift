// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
import OppiWire
import Synchronization

/// A connection for consecutive requests to the same server.
///
/// A request that gets no response fails. Only a GET on a reused connection that the server has
/// closed is sent again.
package final class HTTPConnection {
  private let network: Network
  private let destination: Network.Destination
  /// What answers must not repeat.
  package var secrets: KnownSecrets { network.secrets }
  private var idle: ByteStream?

  package init(network: Network, destination: Network.Destination) {
    self.network = network
    self.destination = destination
  }

  /// Opens the connection unless it is open, so that connecting has a deadline of its own.
  package func open(until deadline: EventLoop.Instant) async throws(TransportError) {
    if idle == nil { idle = try await network.open(destination, until: deadline) }
  }

  /// Sends a request and returns the final response, whatever its status.
  ///
  /// Opens a connection if there is none, and keeps it if the server agrees. Throws if the body
  /// exceeds the limit. Known secrets are removed from the body, except from that of an answer that
  /// issues secrets: an earlier one may be issued again.
  ///
  /// - Returns: The response, and its turn among the long answers if it needed one.
  package func exchange(
    _ request: HTTPRequest,
    bodyLimit: Int = HTTPLimits().bodyBytes,
    among answers: LongAnswers? = nil,
    issuingSecrets: Bool = false,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> (response: HTTPResponse, turn: LongAnswers.Turn?) {
    let bytes = try Self.encode(request, for: destination)
    var reused = idle
    idle = nil
    while true {
      let stream =
        if let reused { reused } else { try await network.open(destination, until: deadline) }
      do {
        try await stream.write(bytes, until: deadline)
        let limits = HTTPLimits(bodyBytes: bodyLimit)
        var parser = HTTPResponseParser(method: request.method, limits: limits)
        var (response, turn) = try await stream.readResponse(
          with: &parser,
          among: answers,
          until: deadline
        )
        // Bytes after the response would be parsed as the next response.
        let isReusable = response.status != 101 && !response.endsConnection
        if isReusable, parser.leftover.isEmpty, !stream.hasEnded { idle = stream }
        if !issuingSecrets { response.body = secrets.redacted(response.body) }
        return (response, turn)
      } catch .closed where reused != nil && request.method == "GET" {
        // A server may close an idle connection at any time; repeating a GET is safe
        // (RFC 9110, section 9.2.2).
        reused = nil
      }
    }
  }

  /// The encoded request with the required `Host` header.
  static func encode(
    _ request: HTTPRequest,
    for destination: Network.Destination
  ) throws(TransportError) -> [UInt8] {
    var request = request
    request.headers.append(name: "Host", value: destination.endpoint.authority)
    return try request.wireBytes()
  }
}

extension HTTPRequest {
  func wireBytes() throws(TransportError) -> [UInt8] {
    do {
      return try encoded()
    } catch {
      throw .malformedRequest(error)
    }
  }
}

extension HTTPResponse {
  /// Whether the server will close the connection (RFC 9112, section 9.6).
  fileprivate var endsConnection: Bool {
    headers.hasToken("close", in: "Connection")
  }
}

extension HTTPResponseParser {
  /// A parser that reads only the head, as for HEAD.
  ///
  /// The rest belongs to another protocol, or is the body of an error, which is ignored.
  static var forHead: HTTPResponseParser { HTTPResponseParser(method: "HEAD") }
}

extension ByteStream {
  func readResponse(
    with parser: inout HTTPResponseParser,
    among answers: LongAnswers? = nil,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> (response: HTTPResponse, turn: LongAnswers.Turn?) {
    var turn: LongAnswers.Turn?
    while true {
      let bytes = try await read(until: deadline)
      do throws(HTTPError) {
        if bytes.isEmpty { return (try parser.receiveEndOfStream(), turn) }
        if let response = try parser.receive(bytes) { return (response, turn) }
      } catch {
        throw error == .truncated ? .closed(.answer) : .malformedAnswer(error)
      }
      if turn == nil, let answers, parser.bodySize > LongAnswers.size {
        turn = try await answers.turn(on: loop, until: deadline)
      }
    }
  }
}

/// Limits the memory and the work that the long answers of a server need: they are read one after
/// another, in at most half of the time.
///
/// An answer needs several times its size while it is read, and a server could send a long one on
/// each connection, in answer to every request.
package final class LongAnswers: Sendable {
  /// In bytes; a shorter answer needs no turn.
  static let size = 256 << 10

  private let admission = Admission(surely: 0) { 1 }
  private let pace = Mutex(WorkPace())

  package init() {}

  /// The turn of one answer, which ends with its last reference.
  package final class Turn: Sendable {
    private let answers: LongAnswers
    private let permit: Admission.Permit

    fileprivate init(_ answers: LongAnswers, _ permit: Admission.Permit) {
      (self.answers, self.permit) = (answers, permit)
    }

    /// Counts the work that the answer has caused.
    package func count(_ work: Duration, at now: EventLoop.Instant) {
      answers.pace.withLock { $0.count(work, at: now) }
    }
  }

  func turn(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> Turn {
    let permit = try await admission.enter(on: loop, until: deadline, during: .answer)
    if let next = pace.withLock({ $0.next }) {
      do { try await loop.sleep(until: min(next, deadline)) } catch { throw .cancelled }
    }
    return Turn(self, permit)
  }
}
