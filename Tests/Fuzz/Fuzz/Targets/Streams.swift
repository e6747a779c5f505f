// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import WebSocketCodec

/// A parsed request or response does not depend on how its bytes are cut.
func fuzzHTTP(_ bytes: [UInt8]) {
  var small = HTTPLimits(bodyBytes: 200)
  (small.headBytes, small.headerLines, small.interimResponses) = (300, 5, 2)
  (small.chunkLineBytes, small.trailerBytes) = (20, 60)
  for limits in [HTTPLimits(), small] {
    expectSame(howeverCut: bytes) { requestReading($0, limits) }
    for method in ["GET", "HEAD", "CONNECT"] {
      expectSame(howeverCut: bytes) {
        responseReading($0, HTTPResponseParser(method: method, limits: limits))
      }
    }
  }
}

private struct Reading<Message: Equatable>: Equatable {
  var message: Message?
  var error: HTTPError?
  var leftover: [UInt8] = []
}

private func requestReading(
  _ pieces: [ArraySlice<UInt8>],
  _ limits: HTTPLimits
) -> Reading<HTTPRequest> {
  var parser = HTTPRequestParser(limits: limits)
  for (index, piece) in pieces.enumerated() {
    do throws(HTTPError) {
      guard let request = try parser.receive(piece) else { continue }
      let rest = pieces[(index + 1)...].joined()
      return Reading(message: request, leftover: parser.leftover + rest)
    } catch {
      return Reading(error: error)
    }
  }
  return Reading()
}

private func responseReading(
  _ pieces: [ArraySlice<UInt8>],
  _ parser: HTTPResponseParser
) -> Reading<HTTPResponse> {
  var parser = parser
  do throws(HTTPError) {
    for (index, piece) in pieces.enumerated() {
      guard let response = try parser.receive(piece) else { continue }
      let rest = pieces[(index + 1)...].joined()
      return Reading(message: response, leftover: parser.leftover + rest)
    }
    return Reading(message: try parser.receiveEndOfStream())
  } catch {
    return Reading(error: error)
  }
}

/// Events, answers and errors of a connection do not depend on how its bytes are cut.
func fuzzWebSocket(_ bytes: [UInt8]) {
  for role in [Role.client, .server] {
    expectSame(howeverCut: bytes) { pieces in
      var hearing = Hearing(WebSocketConnection(role: role, maxMessage: 300))
      for piece in pieces { hearing.take(piece) }
      return hearing.result
    }
  }
}

private struct Hearing {
  struct Result: Equatable {
    var events: [WebSocketConnection.Event] = []
    var answers: [UInt8] = []
    var state = WebSocketConnection.State.open
  }

  private(set) var result = Result()
  private var connection: WebSocketConnection
  private var generator = SeededGenerator(seed: 1)

  init(_ connection: WebSocketConnection) { self.connection = connection }

  mutating func take(_ piece: ArraySlice<UInt8>) {
    connection.receive(piece)
    while let event = try? connection.next(using: &generator) {
      result.events.append(event)
      // Taken at once, because a burst of pings gets only a limited number of queued pongs.
      result.answers += connection.takeOutbound()
    }
    result.answers += connection.takeOutbound()
    result.state = connection.state
  }
}
