// SPDX-License-Identifier: MIT

/// The key with which this machine signs in to one server.
package struct DeviceCredential: Sendable, Equatable {
  /// Assigned by the server; `nil` for a key that is not enrolled yet.
  package var deviceID: String?
  /// The private key in DER (RFC 5915, section 3).
  package var key: [UInt8]

  package init(deviceID: String?, key: [UInt8]) {
    self.deviceID = deviceID
    self.key = key
  }

  /// Reads an entry of the credential file, or a systemd credential.
  package init?(json: JSONValue) {
    guard let key = json["privateKey"].string.flatMap({ Base64.decode($0) }),
      (1...Self.keyLimit).contains(key.count),
      json["deviceId"] == .null || json["deviceId"].wireID != nil
    else { return nil }
    self.init(deviceID: json["deviceId"].wireID, key: key)
  }

  package var json: JSONValue {
    .object([
      "deviceId": deviceID.map(JSONValue.string), "privateKey": .string(Base64.encode(key)),
    ])
  }

  /// In bytes; longer than any P-256 key.
  private static let keyLimit = 1024
}
