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
  /// In seconds since the Unix epoch.
  package var addedAt: Int
  /// `nil` until it was detected.
  package var dialect: Dialect?
  /// The version that the server reported when the dialect was detected; `nil` if unknown.
  package var version: String?
  /// A command whose first line of output is the token, used in place of a stored token.
  package var tokenCommand: [String]
  /// The URL of a proxy for this server; `nil` to use the environment.
  package var proxy: String?

  package init(
    id: Fingerprint,
    name: String,
    endpoint: Endpoint,
    certificatePin: Fingerprint? = nil,
    addedAt: Int = 0,
    dialect: Dialect? = nil,
    version: String? = nil,
    tokenCommand: [String] = [],
    proxy: String? = nil
  ) {
    self.id = id
    self.name = name
    self.endpoint = endpoint
    self.certificatePin = certificatePin
    self.addedAt = addedAt
    self.dialect = dialect
    self.version = version
    self.tokenCommand = tokenCommand
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
    let command = json["tokenCommand"].array
    let words = command?.compactMap(\.string) ?? []
    // A setting of the wrong type must not be ignored silently.
    guard json["tokenCommand"] == .null || words.count == command?.count,
      json["proxy"] == .null || json["proxy"].string != nil
    else { return nil }
    self.init(
      id: id,
      name: name,
      endpoint: endpoint,
      certificatePin: certificatePin,
      addedAt: json["addedAt"].string.flatMap { Timestamp(iso8601: $0)?.seconds } ?? 0,
      tokenCommand: words,
      proxy: json["proxy"].string
    )
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
      "addedAt": .string(Timestamp(seconds: addedAt).iso8601),
      "tokenCommand": tokenCommand.isEmpty ? nil : .array(tokenCommand.map(JSONValue.string)),
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
