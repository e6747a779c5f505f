// SPDX-License-Identifier: MIT

package import HTTPCodec
package import OppiText
package import OppiWire

/// The routes of devices, and the access of all other requests.
extension DeviceAccess: HostAccess {
  /// The maximum size of a request without authorization, in bytes.
  private static let bodyLimit = 16 << 10

  package func answer(to request: HTTPRequest) throws(Refusal) -> JSONValue? {
    switch (request.method, request.path) {
    case ("POST", "/pair"): return try pair(openBody(of: request))
    case ("POST", "/auth/challenge"):
      let id = try openBody(of: request).nonEmpty("deviceId")
      guard let id else { throw Refusal(400, "deviceId required") }
      return try Self.json(challenge(deviceID: id))
    case ("POST", "/auth/refresh"): return try refresh(openBody(of: request))
    default: break
    }
    guard accepts(request) else { throw Refusal(401, "Unauthorized") }
    if request.method == "GET", request.path == "/auth/devices" {
      return ["devices": .array(devices.map(\.json))]
    }
    guard request.method == "DELETE",
      let id = PathTemplate("/auth/devices/:id").match(request.path)?["id"]
    else { return nil }
    guard revoke(id) else { throw Refusal(404, "Unknown or already-revoked device") }
    return ["ok": true]
  }

  /// Whether the request has a valid token in its header; one in the query is ignored.
  package func accepts(_ request: HTTPRequest) -> Bool { request.bearer.flatMap(use) != nil }

  /// The JSON of a request that needs no token.
  package func openBody(of request: HTTPRequest) throws(Refusal) -> JSONValue {
    guard rules.isSecure else { throw Refusal(403, "HTTPS required") }
    guard request.body.count <= Self.bodyLimit else {
      throw Refusal(413, "Request body too large")
    }
    return try Call(request: request).body(invalid: 400)
  }

  // MARK: - Enrolment

  /// A malformed key counts as a failure, like a wrong token, and leaves the invite valid.
  private func pair(_ body: JSONValue) throws(Refusal) -> JSONValue {
    guard let token = body.nonEmpty("pairingToken") else {
      throw Refusal(400, "pairingToken required")
    }
    let key = try Self.key(in: body)
    try invites.spend(key == nil ? nil : token)
    guard let key else { throw Invites.refusal }
    return enrol(key, name: body.deviceName).enrolment
  }

  /// The key that a request sends; `nil` if it is not valid.
  ///
  /// - Throws: If there is none.
  package static func key(in body: JSONValue) throws(Refusal) -> DevicePublicKey? {
    guard body["devicePublicKey"] != .null else { throw Refusal(400, "devicePublicKey required") }
    return DevicePublicKey(json: body["devicePublicKey"])
      .flatMap { EnrolledDevice.accepts($0) ? $0 : nil }
  }

  // MARK: - Tokens

  private func refresh(_ body: JSONValue) throws(Refusal) -> JSONValue {
    guard let id = body.nonEmpty("deviceId"), let nonce = body.nonEmpty("nonce"),
      let signature = body.nonEmpty("signature")
    else { throw Refusal(400, "deviceId, nonce, and signature required") }
    return try refresh(deviceID: id, nonce: nonce, signature: signature).json
  }
}

extension JSONValue {
  fileprivate func nonEmpty(_ name: String) -> String? {
    self[name].string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The device's name without outer blanks; `nil` if it is empty.
  package var deviceName: String? {
    let name = (self["deviceName"].string ?? "").trimmingBlanks
    return name.isEmpty ? nil : name
  }
}
