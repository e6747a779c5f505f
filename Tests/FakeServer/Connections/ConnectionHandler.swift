// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiTransport

/// Serves one connection: consecutive HTTP requests, or a WebSocket after an upgrade.
struct ConnectionHandler {
  /// The number of the connection, starting at 1.
  let id: Int
  let configuration: FakeServer.Configuration
  let recorder: Recorder
  let router: Router
  let sessions: Sessions

  var loop: EventLoop { sessions.loop }

  private enum Next {
    case request
    case stream(Stream.Kind)
    case end
    /// The connection stays open, but nothing more is sent.
    case hang
  }

  func serve(_ accepted: AcceptedConnection) async {
    recorder.record(.accepted(connection: id))
    // Errors only end the connection.
    try? await converse(accepted)
    recorder.record(.ended(connection: id))
  }

  func intervention(at step: Step) -> Intervention {
    configuration.interceptor?(step) ?? .proceed
  }

  private func converse(_ accepted: AcceptedConnection) async throws(TransportError) {
    let intervention = intervention(at: .accepted(connection: id))
    let tls = intervention.leavesTLS ? configuration.tls : nil
    let stream = try await accepted.open(tls: tls, until: loop.now + Wire.patience)
    let wire = Wire(over: stream, power: sessions.power, on: loop)
    let sender = Sender()
    switch try await perform(intervention, over: wire, sender: sender) {
    case .proceed: break
    case .hang: return await wire.discardInput()
    default: return
    }
    var received: [UInt8] = []
    while let request = try await nextRequest(from: wire, behind: &received) {
      switch try await answer(request, over: wire, sender: sender) {
      case .request: continue
      case .end: return
      case .hang: return await wire.discardInput()
      case .stream(let kind):
        let stream = StreamHandler(
          connection: self,
          kind: kind,
          target: request.target,
          wire: wire,
          sender: sender
        )
        return await stream.run(received: received, authorizedBy: request)
      }
    }
  }

  /// Reads a request; `nil` at the end of the stream or after the keep-alive time.
  private func nextRequest(
    from wire: Wire,
    behind received: inout [UInt8]
  ) async throws(TransportError) -> HTTPRequest? {
    var parser = HTTPRequestParser()
    var bytes = received
    while true {
      do {
        if let request = try parser.receive(bytes) {
          received = parser.leftover
          return request
        }
      } catch {
        try await wire.write(HTTPResponse(status: 400, reason: "Bad Request").bytes())
        return nil
      }
      do {
        bytes = try await wire.read(for: configuration.limits.keepAlive)
      } catch .timedOut {
        return nil
      }
      if bytes.isEmpty { return nil }
    }
  }

  /// Performs the interventions that are the same at every step; returns what remains to do.
  private func perform(
    _ intervention: Intervention,
    over wire: Wire,
    sender: Sender
  ) async throws(TransportError) -> Intervention {
    switch intervention {
    case .send(let bytes, _):
      try await wire.write(bytes)
      return intervention.continued
    case .proceedAfter(let pause):
      try? await loop.sleep(for: pause)
      return .proceed
    case .proceedInPieces(let size):
      await wire.split(into: size)
      return .proceed
    case .proceedFragmented(let size):
      sender.fragment(into: size)
      return .proceed
    default: return intervention
    }
  }

  private func answer(
    _ request: HTTPRequest,
    over wire: Wire,
    sender: Sender
  ) async throws(TransportError) -> Next {
    let entry = recorder.record(Journal.Request(request, connection: id))
    let intervention = intervention(at: .request(request, connection: id))
    switch try await perform(intervention, over: wire, sender: sender) {
    case .answer(let response):
      recorder.answered(entry, status: response.status)
      try await wire.write(response.bytes())
      return .request
    case .performThenDrop:
      _ = await router.response(to: request)
      return .end
    case .hang: return .hang
    case .flood(let bytes):
      for number in 0... { try await wire.write(bytes(number)) }
      return .end
    case .ignore: return .request
    case .drop, .close, .reply: return .end
    case .proceed, .proceedAfter, .proceedInPieces, .proceedFragmented, .send: break
    }
    return Upgrade.isAskedFor(by: request)
      ? try await upgrade(request, entry: entry, over: wire)
      : try await respond(to: request, entry: entry, over: wire)
  }

  private func upgrade(
    _ request: HTTPRequest,
    entry: Int,
    over wire: Wire
  ) async throws(TransportError) -> Next {
    switch await router.upgrade.verdict(on: request) {
    case .open(let kind):
      recorder.answered(entry, status: 101)
      try await wire.write(HTTPResponse.upgrade(for: request).bytes())
      return .stream(kind)
    case .refuse(let status, let bytes):
      recorder.answered(entry, status: status)
      try await wire.write(bytes)
      await wire.shutDown()
      return .end
    }
  }

  private func respond(
    to request: HTTPRequest,
    entry: Int,
    over wire: Wire
  ) async throws(TransportError) -> Next {
    guard !Self.isTooLarge(request, configuration) else { return .end }
    let response = await router.response(to: request)
    let keepsAlive =
      !request.headers.values(of: "Connection").contains("close") && response.status != 413
    recorder.answered(entry, status: response.status)
    try await wire.write(response.bytes(keepingAlive: keepsAlive, at: loop.timestamp))
    if keepsAlive { return .request }
    await wire.shutDown()
    return .end
  }

  /// Whether a request is cut instead of answered; files are limited by their route.
  private static func isTooLarge(
    _ request: HTTPRequest,
    _ configuration: FakeServer.Configuration
  ) -> Bool {
    configuration.hasSessionSockets && request.method != "PUT"
      && request.body.count > configuration.limits.bodyBytes
  }
}

extension Intervention {
  fileprivate var leavesTLS: Bool {
    switch self {
    case .proceed, .proceedInPieces, .proceedFragmented: true
    default: false
    }
  }
}
