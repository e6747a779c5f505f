// SPDX-License-Identifier: MIT

/// A paired server, without its token.
package struct PairedServer: Sendable, Equatable {
  /// The identity fingerprint, the left half of every composite id.
  package let id: Fingerprint
  /// The label shown to the user; unique among the paired servers.
  package var name: String
  package var endpoint: Endpoint
  /// The pin of the leaf certificate; without one, `https` is verified by the system's authorities.
  package var certificatePin: Fingerprint?
  /// Whether the identity was proved by an invite that its key signed; `nil` if an earlier version
  /// of this program paired the server.
  package var isProven: Bool?
  /// In seconds since the Unix epoch.
  package var addedAt: Int
  /// `nil` until it was detected.
  package var dialect: Dialect?
  /// Whether another server answered at its address when it was last asked for its identity.
  package var isDoubted = false
  /// The version that the server reported when the dialect was detected; `nil` if unknown.
  package var version: String?
  /// A command whose first line of output is the token, used in place of a stored token.
  package var tokenCommand: [String]
  /// A program with its arguments that signs for this machine; empty if the key is stored.
  package var keyCommand: [String]
  /// The URL of a proxy for this server; `nil` to use the environment.
  package var proxy: String?

  package init(
    id: Fingerprint,
    name: String,
    endpoint: Endpoint,
    certificatePin: Fingerprint? = nil,
    isProven: Bool? = nil,
    addedAt: Int = 0,
    dialect: Dialect? = nil,
    version: String? = nil,
    tokenCommand: [String] = [],
    keyCommand: [String] = [],
    proxy: String? = nil
  ) {
    self.id = id
    self.name = name
    self.endpoint = endpoint
    self.certificatePin = certificatePin
    self.isProven = isProven
    self.addedAt = addedAt
    self.dialect = dialect
    self.version = version
    self.tokenCommand = tokenCommand
    self.keyCommand = keyCommand
    self.proxy = proxy
  }
}

// MARK: - JSON

extension PairedServer {
  /// Reads an entry of `servers.json`; `nil` if a required member is missing or invalid.
  package init?(json: JSONValue) {
    guard let id = json["id"].string.flatMap({ Fingerprint($0) }),
      let name = json["name"].string?.safeLine(limit: 80),
      let scheme = Endpoint.Scheme(rawValue: json["scheme"].string ?? "http"),
      let host = json["host"].string,
      let port = json["port"].int,
      let endpoint = Endpoint(scheme: scheme, host: host, port: port)
    else { return nil }
    let pin = json["tlsCertFingerprint"].string
    let certificatePin = pin.flatMap { Fingerprint($0) }
    // An unreadable pin must not count as no pin.
    guard pin == nil || (certificatePin != nil && scheme == .https) else { return nil }
    // A setting of the wrong type must not be ignored silently.
    guard let tokenCommand = Self.command(json["tokenCommand"]),
      let keyCommand = Self.command(json["keyCommand"]),
      json["proxy"] == .null || json["proxy"].string != nil,
      json["identityProven"] == .null || json["identityProven"].bool != nil
    else { return nil }
    self.init(
      id: id,
      name: name,
      endpoint: endpoint,
      certificatePin: certificatePin,
      isProven: json["identityProven"].bool,
      addedAt: json["addedAt"].string.flatMap { Timestamp(iso8601: $0)?.seconds } ?? 0,
      tokenCommand: tokenCommand,
      keyCommand: keyCommand,
      proxy: json["proxy"].string
    )
  }

  /// A program with its arguments; `nil` if it is not a list of texts.
  private static func command(_ json: JSONValue) -> [String]? {
    guard json != .null else { return [] }
    guard let elements = json.array else { return nil }
    let words = elements.compactMap(\.string)
    return words.count == elements.count ? words : nil
  }

  /// The entry of `servers.json`, with the member names of the app's own record.
  package var json: JSONValue {
    .object([
      "id": .string(id.text),
      "fingerprint": .string(id.text),
      "name": .string(name),
      "scheme": .string(endpoint.scheme.rawValue),
      "host": .string(endpoint.host),
      "port": .integer(Int64(endpoint.port)),
      "tlsCertFingerprint": certificatePin.map { .string($0.text) },
      "identityProven": isProven.map(JSONValue.bool),
      "addedAt": .string(Timestamp(seconds: addedAt).iso8601),
      "tokenCommand": tokenCommand.isEmpty ? nil : .array(tokenCommand.map(JSONValue.string)),
      "keyCommand": keyCommand.isEmpty ? nil : .array(keyCommand.map(JSONValue.string)),
      "proxy": proxy.map(JSONValue.string),
    ])
  }
}

// MARK: - The dialect

extension PairedServer {
  /// Corrects the dialect by the stream that the server actually has.
  package mutating func learn(_ stream: Dialect.Stream) {
    let known = Dialect.named.first { $0.dialect.stream == stream }?.dialect
    guard dialect?.stream != stream else { return }
    dialect = known
  }
}

package struct Endpoint: Sendable, Hashable {
  package enum Scheme: String, Sendable, CaseIterable {
    case http
    case https
  }

  package let scheme: Scheme
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  package let host: String
  /// From 1 to 65535.
  package let port: Int

  /// Fails for a port out of range and for a host that is invalid in a `Host` header.
  package init?(scheme: Scheme, host: String, port: Int) {
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard (1...65535).contains(port), (1...253).contains(bare.utf8.count),
      bare.utf8.allSatisfy(Self.isHostByte)
    else { return nil }
    self.scheme = scheme
    self.host = bare
    self.port = port
  }

  /// The value of the `Host` header, with brackets around an IPv6 address.
  package var authority: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._:%".utf8.contains(byte)
  }
}

extension Endpoint: CustomStringConvertible {
  package var description: String { "\(scheme.rawValue)://\(authority)" }
}
