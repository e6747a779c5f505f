// SPDX-License-Identifier: MIT

import HTTPCodec

/// A parsed request or response does not depend on how its bytes are cut.
func fuzzHTTP(_ bytes: [UInt8]) {
  let small = HTTPLimits(
    headBytes: 300,
    headerLines: 5,
    interimResponses: 2,
    chunkLineBytes: 20,
    trailerBytes: 60,
    bodyBytes: 200
  )
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
