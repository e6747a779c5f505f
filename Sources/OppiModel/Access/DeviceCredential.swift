// SPDX-License-Identifier: MIT

/// The key with which this machine signs in to one server.
package struct DeviceCredential: Sendable, Equatable {
  /// What signs for the device.
  package enum Signer: Sendable, Equatable {
    /// A private key in DER (RFC 5915, section 3).
    case key([UInt8])
    /// A program with its arguments, which keeps the private key.
    case program([String])
  }

  /// Assigned by the server; `nil` for a key that is not enrolled yet.
  package var deviceID: String?
  package var signer: Signer

  package init(deviceID: String?, signer: Signer) {
    self.deviceID = deviceID
    self.signer = signer
  }

  package init(deviceID: String?, key: [UInt8]) {
    self.init(deviceID: deviceID, signer: .key(key))
  }

  /// Reads an entry of the credential file, or a systemd credential.
  ///
  /// An entry without a private key is that of the server's program; `nil` without a program.
  package init?(json: JSONValue, keyCommand: [String] = []) {
    guard json.object != nil, json["deviceId"] == .null || json["deviceId"].wireID != nil else {
      return nil
    }
    let deviceID = json["deviceId"].wireID
    if json["privateKey"] == .null, !keyCommand.isEmpty {
      self.init(deviceID: deviceID, signer: .program(keyCommand))
      return
    }
    guard let key = json["privateKey"].string.flatMap({ Base64.decode($0) }),
      (1...Self.keyLimit).contains(key.count)
    else { return nil }
    self.init(deviceID: deviceID, key: key)
  }

  /// The entry of the credential file; the program is in the entry of the server.
  package var json: JSONValue {
    var members: JSONObject = [:]
    members["deviceId"] = deviceID.map(JSONValue.string)
    if case .key(let key) = signer { members["privateKey"] = .string(Base64.encode(key)) }
    return .object(members)
  }

  /// In bytes; longer than any P-256 key.
  private static let keyLimit = 1024
}
