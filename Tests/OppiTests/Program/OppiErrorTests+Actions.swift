// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport
import OppiWire
import Testing
import WebSocketCodec

@testable import OppiClient

/// What callers read in the reason of an error.
extension OppiErrorTests {
  private static let refusedByPeer = SystemError("connect", code: 111)

  /// The server may have the request.
  private static let arrived: [OppiError] =
    [
      .hungUp(server: "s"), .noAnswer(server: "s"), .streamExpired(server: "s"),
      .malformedAnswer(server: "s", what: "session"),
      .refused(status: 500, message: nil, server: "s"),
      .refused(status: 503, message: "starting", server: "s"),
    ]
    + [
      TransportError.timedOut(.request), .timedOut(.answer), .closed(.request), .closed(.answer),
      .ioFailed(refusedByPeer), .malformedAnswer(.notHTTP), .webSocketBroken(.maskedByServer),
      .cancelled,
    ].map { .transport($0, server: "s") }

  /// Nothing was sent, or the server said that it did nothing.
  private static let unsent: [OppiError] =
    [
      .refused(status: 499, message: nil, server: "s"),
      .refused(status: 429, message: nil, server: "s"),
      .refused(status: 401, message: nil, server: "s"),
      .notSubscribed(.startFailed("no key"), server: "s"), .otherServer(server: "s"),
      .unknownSession(name: "x"),
    ]
    + [
      TransportError.timedOut(.lookup), .timedOut(.connect), .timedOut(.proxy), .timedOut(.tls),
      .closed(.connect), .closed(.proxy), .closed(.tls), .lookupFailed(reason: "x"),
      .connectFailed(refusedByPeer), .proxyFailed(reason: "x"), .tlsUnavailable,
      .tlsFailed(reason: "x"), .certificateRejected(reason: "x"), .upgradeRefused(.status(500)),
    ].map { .transport($0, server: "s") }

  @Test("a failure tells whether the server may have the request")
  func arrival() {
    for error in Self.arrived { #expect(error.mayHaveArrived, "\(error)") }
    for error in Self.unsent { #expect(!error.mayHaveArrived, "\(error)") }
  }

  @Test("a request whose token was not received has not arrived, and its failure keeps its kind")
  func beforeRequest() {
    for error in Self.arrived + Self.unsent {
      let failure = error.beforeRequest
      #expect(!failure.mayHaveArrived, "\(error)")
      #expect(failure.isPassing == error.isPassing, "\(error)")
      #expect(failure.isTimeout == error.isTimeout, "\(error)")
      #expect(failure.isCancellation == error.isCancellation, "\(error)")
      #expect(failure.message == error.message && failure.code == error.code)
    }
  }

  @Test("a failure is passing only if the server or the connection may recover")
  func passing() {
    let passing: [OppiError] =
      [
        .hungUp(server: "s"), .noAnswer(server: "s"), .streamExpired(server: "s"),
        .refused(status: 500, message: nil, server: "s"),
        .refused(status: 429, message: nil, server: "s"),
        .accessRefused(.rateLimited, server: "s"), .accessRefused(.tooManyChallenges, server: "s"),
        .accessRefused(.newTokenRejected, server: "s"),
      ]
      + [
        TransportError.timedOut(.connect), .lookupFailed(reason: "x"),
        .connectFailed(Self.refusedByPeer), .closed(.tls), .ioFailed(Self.refusedByPeer),
        .proxyFailed(reason: "x"),
      ].map { .transport($0, server: "s") }
    for error in passing { #expect(error.isPassing, "\(error)") }
    let lasting: [OppiError] =
      [
        .malformedAnswer(server: "s", what: "x"), .otherServer(server: "s"), .notPaired,
        .refused(status: 499, message: nil, server: "s"),
        .refused(status: 428, message: nil, server: "s"),
        .refused(status: 430, message: nil, server: "s"),
        .accessRefused(.revoked, server: "s"), .accessRefused(.unknownDevice, server: "s"),
        .accessRefused(.httpsRequired, server: "s"),
      ]
      + [
        TransportError.cancelled, .tlsUnavailable, .tlsFailed(reason: "x"),
        .certificateRejected(reason: "x"), .malformedAnswer(.notHTTP),
      ].map { .transport($0, server: "s") }
    for error in lasting { #expect(!error.isPassing, "\(error)") }
  }

  @Test("only a 404 without a subject is a missing route")
  func missingRoute() {
    func error(_ status: Int, _ message: String?) -> OppiError {
      .refused(status: status, message: message, server: "s")
    }
    #expect(error(404, nil).isMissingRoute && error(404, "Not found").isMissingRoute)
    #expect(!error(404, "Session not found").isMissingRoute)
    #expect(!error(404, "Unknown or already-revoked device").isMissingRoute)
    #expect(!error(405, nil).isMissingRoute && !error(400, "Not found").isMissingRoute)
    #expect(error(404, "Session not found").isNotFound && !error(410, nil).isNotFound)
  }

  @Test("only a full server and a failed start may have an agent later")
  func refusedStart() {
    func error(_ refusal: PromptDelivery.Refusal) -> OppiError {
      .notSubscribed(refusal, server: "s")
    }
    #expect(error(.full("limit", code: nil)).isRefusedStart)
    #expect(error(.startFailed("no key")).isRefusedStart)
    for refusal in [
      PromptDelivery.Refusal.rejected("no", code: nil), .agentRefused("no"), .busy, .silent,
    ] {
      #expect(!error(refusal).isRefusedStart, "\(refusal)")
    }
  }

  @Test(
    "an error status without a meaning of its own has the code of its class",
    arguments: [
      (399, .protocolBroken), (400, .badInput), (413, .badInput), (499, .badInput),
      (500, .serverError), (502, .serverError), (504, .serverError),
    ] as [(Int, OppiError.Code)]
  )
  func statusClasses(status: Int, code: OppiError.Code) {
    #expect(OppiError.refused(status: status, message: "x", server: "s").code == code)
  }
}
