// SPDX-License-Identifier: MIT

import OppiText

package struct Invite: Sendable, Equatable {
  package enum Credential: Sendable, Equatable {
    /// A single-use token, exchanged once at `POST /pair`.
    case pairingToken(String)
    case bearerToken(String)
  }

  package var endpoint: Endpoint
  package var credential: Credential
  /// The label that the server gave, or its host name.
  package var name: String
  /// The pin of the leaf certificate, with `https` only.
  package var certificatePin: Fingerprint?
  /// The identity of the server, compared after pairing with what the server reports.
  package var fingerprint: Fingerprint?
  /// The signature of the server's identity key, to be verified before pairing; `nil` for the
  /// invites of older servers, which are not signed.
  package var seal: InviteSeal?

  package var address: ServerAddress {
    ServerAddress(endpoint: endpoint, certificatePin: certificatePin)
  }

  /// Whether the invite may pair the server that it claims to be.
  ///
  /// A fingerprint is public, so that any server can claim it; only a signature proves it.
  ///
  /// The signature must have been verified. `known` is the paired server with this identity.
  /// `hasKey` is whether that server issues tokens to a device key: such servers sign their invites,
  /// so that one that was paired by an earlier version of this program counts as proven.
  package func decision(replacing known: PairedServer?, hasKey: Bool) -> PairingDecision {
    guard let known else { return .allowed }
    guard known.isProven ?? hasKey else { return known.address == address ? .allowed : .asked }
    return seal?.signer == known.id ? .allowed : .refused
  }
}

package enum InviteError: Error, Equatable {
  case notAnInvite
  case unsupportedVersion
  case malformed(field: String)
  case noToken
  /// The signature is not that of the server that the invite names.
  case badSignature
}

extension Invite {
  /// In bytes; longer texts are rejected without parsing.
  static let sizeLimit = 16_384

  /// Parses an invite in any format, even if wrapped over several lines.
  ///
  /// The formats are `oppi://connect?…` and `oppi://pair?…` (or `pi://`), with `invite=`
  /// (base64url) or `payload=` (percent-encoded JSON), the bare JSON of the QR code, and the JSON
  /// that a server prints, which contains the URL.
  ///
  /// - Throws: `InviteError`. A signature is not verified, only compared with the fingerprint.
  package init(_ text: String) throws(InviteError) {
    let text = text.drop { $0.isWhitespace }.trimmingSuffix(while: \.isWhitespace)
    guard text.utf8.count <= Self.sizeLimit else { throw .notAnInvite }
    var json = text.hasPrefix("{") ? Self.json(Array(text.utf8)) : try Self.json(ofURL: text)
    if let url = json?["inviteURL"].string, json?["v"] == .null { json = try Self.json(ofURL: url) }
    guard let json else { throw .notAnInvite }
    try self.init(json: json)
  }

  private static func json(ofURL url: some StringProtocol) throws(InviteError) -> JSONValue? {
    json(try payload(ofURL: String(url).filter { !$0.isWhitespace }))
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue? {
    (try? JSONValue(parsing: unwrapped(bytes))).flatMap { $0.object == nil ? nil : $0 }
  }

  /// The text without line breaks, which no JSON string contains (RFC 8259, section 7).
  private static func unwrapped(_ json: [UInt8]) -> [UInt8] {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    return json.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .flatMap { line in
        line.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
      }
  }

  private init(json: JSONValue) throws(InviteError) {
    guard json["v"] == 3 else { throw .unsupportedVersion }
    guard json["signedPayload"] != .null else {
      try self.init(fields: json)
      return
    }
    let seal = try InviteSeal(json: json)
    guard let fields = try? JSONValue(parsing: seal.payload), fields["v"] == 3 else {
      throw .malformed(field: "signedPayload")
    }
    try self.init(fields: fields, defaultScheme: .https)
    guard fingerprint == seal.signer else { throw .badSignature }
    self.seal = seal
  }

  private init(
    fields json: JSONValue,
    defaultScheme: Endpoint.Scheme = .http
  ) throws(InviteError) {
    guard let host = json["host"].string, let port = json["port"].int else {
      throw .malformed(field: json["host"].string == nil ? "host" : "port")
    }
    let scheme = json["scheme"].string.map { Endpoint.Scheme(rawValue: $0) } ?? defaultScheme
    guard let scheme else { throw .malformed(field: "scheme") }
    guard let endpoint = Endpoint(scheme: scheme, host: host, port: port) else {
      throw .malformed(field: (1...65535).contains(port) ? "host" : "port")
    }
    self.endpoint = endpoint
    credential = try Self.credential(in: json)
    let label = json["name"].string?.safeLine(limit: 80) ?? ""
    name = label.isEmpty ? endpoint.host : label
    certificatePin = try Self.fingerprint("tlsCertFingerprint", in: json)
    fingerprint = try Self.fingerprint("fingerprint", in: json)
    // A pin without TLS would give a false sense of security.
    if certificatePin != nil, endpoint.scheme == .http { throw .malformed(field: "scheme") }
  }

  private static func credential(in json: JSONValue) throws(InviteError) -> Credential {
    for (field, make) in [
      ("token", Credential.bearerToken), ("pairingToken", Credential.pairingToken),
    ] {
      guard let token = json[field].string, !token.isEmpty else { continue }
      guard BearerToken.isValid(token) else { throw .malformed(field: field) }
      return make(token)
    }
    throw .noToken
  }

  private static func fingerprint(
    _ field: String,
    in json: JSONValue
  ) throws(InviteError) -> Fingerprint? {
    guard let text = json[field].string, !text.isEmpty else { return nil }
    guard let fingerprint = Fingerprint(text) else { throw .malformed(field: field) }
    return fingerprint
  }

  /// Extracts the JSON from a URL's `invite` or `payload` item.
  private static func payload(ofURL text: some StringProtocol) throws(InviteError) -> [UInt8] {
    guard let schemeEnd = text.firstRange(of: "://") else { throw .notAnInvite }
    let parts = text[schemeEnd.upperBound...].split(separator: "?", maxSplits: 1)
    guard ["oppi", "pi"].contains(text[..<schemeEnd.lowerBound].lowercased()),
      parts.count == 2,
      ["connect", "pair"].contains(parts[0].trimmingSuffix { $0 == "/" }.lowercased())
    else { throw .notAnInvite }
    var items: [String: Substring] = [:]
    for item in parts[1].split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { items[String(pair[0])] = Substring(pair[1]) }
    }
    if let version = items["v"], version != "3" { throw .unsupportedVersion }
    let invite = items["invite"].flatMap { Base64.decode($0.percentDecoded()) }
    guard let bytes = invite ?? items["payload"].map({ Array($0.percentDecoded().utf8) }) else {
      throw .notAnInvite
    }
    return bytes
  }
}

extension StringProtocol {
  package func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}

/// The signed part of an invite: `{"v":3,"signedPayload":…,"publicKey":…,"signature":…}`.
///
/// The signature proves only that the payload is from the owner of the key; the fingerprint in the
/// payload names this key.
package struct InviteSeal: Sendable, Equatable {
  /// The signed bytes: the JSON of the invite.
  package let payload: [UInt8]
  /// An Ed25519 key (RFC 8032, section 5.1.5): 32 bytes.
  package let publicKey: [UInt8]
  /// An Ed25519 signature (RFC 8032, section 5.1.6): 64 bytes.
  package let signature: [UInt8]

  /// The fingerprint of the key.
  package var signer: Fingerprint { Fingerprint(digest: SHA256.digest(publicKey)) }

  init(json: JSONValue) throws(InviteError) {
    payload = try Self.bytes("signedPayload", in: json)
    publicKey = try Self.bytes("publicKey", in: json, count: 32)
    signature = try Self.bytes("signature", in: json, count: 64)
  }

  private static func bytes(
    _ field: String,
    in json: JSONValue,
    count: Int? = nil
  ) throws(InviteError) -> [UInt8] {
    guard let bytes = json[field].string.flatMap({ Base64.decode($0) }),
      count == nil || count == bytes.count
    else { throw .malformed(field: field) }
    return bytes
  }
}

/// Where a server is reached, and by which certificate it is recognised there.
package struct ServerAddress: Sendable, Equatable {
  package var endpoint: Endpoint
  package var certificatePin: Fingerprint?
}

extension PairedServer {
  package var address: ServerAddress {
    ServerAddress(endpoint: endpoint, certificatePin: certificatePin)
  }
}

/// Whether an invite may pair a server.
package enum PairingDecision: Sendable, Equatable {
  case allowed
  /// The server is paired at another place, and nothing proves that the new one is its own.
  case asked
  /// The server has proved its key, and the invite is not signed by it.
  case refused
}
