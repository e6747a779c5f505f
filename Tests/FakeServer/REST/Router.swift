// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport

struct Router: Sendable {
  let configuration: FakeServer.Configuration
  let fingerprint: Fingerprint
  let pairing: PairingRoutes
  /// `nil` on servers without device keys.
  let access: AccessRoutes?
  let sessions: Sessions
  let loop: EventLoop
  private let startedAt: EventLoop.Instant
  let createdAt: Timestamp

  init(
    configuration: FakeServer.Configuration,
    fingerprint: Fingerprint,
    pairing: PairingRoutes,
    access: AccessRoutes?,
    sessions: Sessions,
    loop: EventLoop
  ) {
    self.configuration = configuration
    self.fingerprint = fingerprint
    self.pairing = pairing
    self.access = access
    self.sessions = sessions
    self.loop = loop
    startedAt = loop.now - configuration.age
    createdAt = loop.timestamp
  }

  var upgrade: Upgrade {
    Upgrade(configuration: configuration, pairing: pairing, access: access, sessions: sessions)
  }

  /// The whole seconds since the start.
  var uptime: Int { Int(startedAt.duration(to: loop.now).components.seconds) }

  private static let allRoutes = laterRoutes + uploadRoutes + scheduleRoutes + routes

  /// Returns the response; without a token, unknown paths are rejected like known ones.
  func response(to request: HTTPRequest) async -> HTTPResponse {
    let response = await plainResponse(to: request)
    return configuration.dialect.allowsOtherOrigins ? response : response.withoutCORS
  }

  private func plainResponse(to request: HTTPRequest) async -> HTTPResponse {
    let path = request.target.prefix { $0 != "?" }
    if path == "/health" { return .json(["ok": true, "protocol": 2]) }
    if request.method == "OPTIONS", configuration.dialect.allowsOtherOrigins { return .noContent }
    do throws(Refusal) {
      if let access, let answer = try answer(to: request, guardedBy: access) {
        return .json(answer)
      }
      if request.method == "POST", path == "/pair" {
        return .json(try pair(Call(request: request, parameters: [:])))
      }
      guard isAuthorized(request) else { throw Refusal(401, "Unauthorized") }
      for route in Self.allRoutes where route.method == request.method {
        guard route.exists(in: configuration), let parameters = route.path.match(path) else {
          continue
        }
        let call = Call(request: request, parameters: parameters)
        let answer = try await route.handler(call, self)
        return .json(answer.json, status: answer.status)
      }
      throw Refusal(404, "Not found")
    } catch {
      return .error(error.status, error.text, error.members)
    }
  }

  private func isAuthorized(_ request: HTTPRequest) -> Bool {
    if let access { return access.accepts(bearerOf: request) }
    if pairing.accepts(bearerOf: request) { return true }
    guard configuration.dialect.acceptsTokensInQuery else { return false }
    return request.query["token"].map(pairing.accepts) == true
  }

  private func pair(_ call: Call) throws(Refusal) -> JSONValue {
    guard let token = try call.body["pairingToken"].string, !token.isEmpty else {
      throw Refusal(400, "pairingToken required")
    }
    switch pairing.redeem(token) {
    case .paired(let deviceToken): return ["deviceToken": .string(deviceToken)]
    case .refused: throw Refusal(401, "Invalid or expired pairing token")
    case .blocked: throw Refusal(429, "Too many invalid pairing attempts. Try again later.")
    }
  }

  func workspace(_ id: String) throws(Refusal) -> Workspace {
    guard let workspace = configuration.workspaces.first(where: { $0.id == id }) else {
      throw Refusal(404, "Workspace not found")
    }
    return workspace
  }
}
