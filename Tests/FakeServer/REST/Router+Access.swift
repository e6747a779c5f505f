// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel

/// The routes of servers that enrol device keys.
extension Router {
  /// The maximum size of a request without authorization, in bytes.
  private static let bodyLimit = 16 << 10

  private typealias Bootstrap = (Router, AccessRoutes, HTTPRequest, JSONValue) throws(Refusal)
    -> JSONValue

  /// Answers the routes of tokens and devices, and refuses all others without a token; `nil` for
  /// other routes of authorized requests.
  func answer(
    to request: HTTPRequest,
    guardedBy access: AccessRoutes
  ) throws(Refusal) -> JSONValue? {
    let path = String(request.target.prefix { $0 != "?" })
    if request.method == "POST", let handler = Self.bootstrap(path, access) {
      guard access.rules.isSecure else { throw Refusal(403, "HTTPS required") }
      guard request.body.count <= Self.bodyLimit else {
        throw Refusal(413, "Request body too large")
      }
      return try handler(self, access, request, try Self.json(of: request))
    }
    guard access.accepts(bearerOf: request) else { throw Refusal(401, "Unauthorized") }
    return try devices(request.method, path, access)
  }

  private static func bootstrap(_ path: String, _ access: AccessRoutes) -> Bootstrap? {
    switch path {
    case "/pair":
      { router, access, _, body throws(Refusal) in try router.enrol(body, at: access) }
    case "/auth/challenge":
      { router, access, _, body throws(Refusal) in try router.challenge(body, at: access) }
    case "/auth/refresh":
      { router, access, _, body throws(Refusal) in try router.refresh(body, at: access) }
    case "/auth/migrate" where access.rules.migrates:
      { router, access, request, body throws(Refusal) in
        try router.migrate(request, body, at: access)
      }
    default: nil
    }
  }

  private static func json(of request: HTTPRequest) throws(Refusal) -> JSONValue {
    if request.body.isEmpty { return [:] }
    do {
      return try JSONValue(parsing: request.body)
    } catch {
      throw Refusal(400, "Invalid JSON")
    }
  }

  // MARK: - Enrolment

  /// A malformed key counts as a failed attempt, like a wrong token, and leaves the invite valid.
  private func enrol(_ body: JSONValue, at access: AccessRoutes) throws(Refusal) -> JSONValue {
    guard let token = body.nonEmpty("pairingToken") else {
      throw Refusal(400, "pairingToken required")
    }
    guard body["devicePublicKey"] != .null else { throw Refusal(400, "devicePublicKey required") }
    let key = Self.key(in: body)
    switch pairing.spend(token, isRequestValid: key != nil) {
    case .blocked: throw Refusal(429, "Too many invalid pairing attempts. Try again later.")
    case .refused: throw Refusal(401, "Invalid or expired pairing token")
    case .spent: break
    }
    guard let key else { throw Refusal(401, "Invalid or expired pairing token") }
    return access.enrol(key, name: body.deviceName).enrolment
  }

  private func migrate(
    _ request: HTTPRequest,
    _ body: JSONValue,
    at access: AccessRoutes
  ) throws(Refusal) -> JSONValue {
    guard let token = request.bearer, token.hasPrefix("dt_") else {
      throw Refusal(400, "legacy device token required")
    }
    guard body["devicePublicKey"] != .null else { throw Refusal(400, "devicePublicKey required") }
    guard let key = Self.key(in: body),
      let grant = access.migrate(token, to: key, name: body.deviceName)
    else { throw Refusal(401, "Invalid or unsupported legacy device token") }
    return grant.enrolment
  }

  private static func key(in body: JSONValue) -> DevicePublicKey? {
    DevicePublicKey(json: body["devicePublicKey"])
      .flatMap { EnrolledDevice.accepts($0) ? $0 : nil }
  }

  // MARK: - Tokens

  private func challenge(_ body: JSONValue, at access: AccessRoutes) throws(Refusal) -> JSONValue {
    guard let id = body.nonEmpty("deviceId") else { throw Refusal(400, "deviceId required") }
    switch access.challenge(deviceID: id) {
    case .issued(let challenge): return challenge.json
    case .refused: throw Refusal(404, "Unknown or revoked device")
    case .tooMany: throw Refusal(429, "Too many challenge requests")
    }
  }

  private func refresh(_ body: JSONValue, at access: AccessRoutes) throws(Refusal) -> JSONValue {
    guard let id = body.nonEmpty("deviceId"), let nonce = body.nonEmpty("nonce"),
      let signature = body.nonEmpty("signature")
    else { throw Refusal(400, "deviceId, nonce, and signature required") }
    switch access.refresh(deviceID: id, nonce: nonce, signature: signature) {
    case .success(let grant): return grant.json
    case .failure(let failure): throw Refusal(failure.status, failure.rawValue)
    }
  }

  // MARK: - Devices

  private func devices(
    _ method: String,
    _ path: String,
    _ access: AccessRoutes
  ) throws(Refusal) -> JSONValue? {
    if method == "GET", path == "/auth/devices" { return ["devices": .array(access.devices)] }
    guard method == "DELETE",
      let id = PathTemplate("/auth/devices/:id").match(path)?["id"]
    else { return nil }
    guard access.revoke(id) else { throw Refusal(404, "Unknown or already-revoked device") }
    return ["ok": true]
  }
}

extension AccessRoutes {
  /// Whether the request has a valid token in its header; one in the query is ignored.
  func accepts(bearerOf request: HTTPRequest) -> Bool {
    request.bearer.flatMap(use) != nil
  }
}

extension HTTPRequest {
  /// The token in the header; `Bearer` is case-sensitive.
  var bearer: String? {
    let value = headers["Authorization"] ?? ""
    return value.hasPrefix("Bearer ") ? String(value.dropFirst("Bearer ".count)) : nil
  }
}

extension JSONValue {
  fileprivate func nonEmpty(_ name: String) -> String? {
    self[name].string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The device's name without outer blanks; `nil` if it is empty.
  fileprivate var deviceName: String? {
    let name = (self["deviceName"].string ?? "").drop(while: \.isWhitespace)
    let end = name.lastIndex { !$0.isWhitespace }
    return end.map { String(name[...$0]) }
  }
}
