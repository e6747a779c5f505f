// SPDX-License-Identifier: MIT

package import OppiText

/// A paired server, without its token.
package struct PairedServer: Sendable, Equatable {
  /// The identity fingerprint, the left half of every composite id.
  package internal(set) var id: Fingerprint
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

  /// `studio/CdJR04ap`: the name of a session, a workspace or a schedule of the server, which
  /// commands accept also if another server has the same one.
  package func qualified(_ name: String) -> String { "\(self.name)/\(name)" }
}

// MARK: - JSON

/// The entry of `servers.json`, with the member names of the app's own record.
///
/// A setting of the wrong type must not be ignored silently, and an unreadable pin must not count as
/// no pin.
extension PairedServer: ShapedRecord {
  package static let shape = RecordShape(
    PairedServer(id: .blank, name: "", endpoint: .blank),
    identity + access
  ) { server in
    server.certificatePin == nil || server.endpoint.scheme == .https
  }

  private static let identity: [RecordMember<PairedServer>] = [
    .required("id", { $1(&$0.id) }, .fingerprint),
    .written("fingerprint") { .string($0.id.text) },
    .required("name", { $1(&$0.name) }, .line(80)),
    .checked("scheme", { $1(&$0.endpoint.scheme) }, .word),
    .required("host", { $1(&$0.endpoint.host) }, .host),
    .required("port", { $1(&$0.endpoint.port) }, .port),
  ]

  private static let access: [RecordMember<PairedServer>] = [
    .strict("tlsCertFingerprint", { $1(&$0.certificatePin) }, .fingerprint),
    .strict("identityProven", { $1(&$0.isProven) }, .bool),
    .defaulted("addedAt", { $1(&$0.addedAt) }, .secondsISO8601),
    .checked("tokenCommand", { $1(&$0.tokenCommand) }, .words),
    .checked("keyCommand", { $1(&$0.keyCommand) }, .words),
    .strict("proxy", { $1(&$0.proxy) }, .text),
  ]
}

extension JSONField<String> {
  /// A host, read without brackets.
  fileprivate static var host: JSONField {
    JSONField {
      .string($0)
    } decode: { json in
      json.string.flatMap { Endpoint(scheme: .http, host: $0, port: 1)?.host }
    }
  }
}

extension JSONField<[String]> {
  /// The words of a command line; no member without words.
  fileprivate static var words: JSONField { .wholeList(of: .text).omitting([]) }
}

extension JSONField<Int> {
  fileprivate static var port: JSONField { integer.accepting(Endpoint.ports.contains) }

  /// Seconds since the Unix epoch.
  fileprivate static var secondsISO8601: JSONField {
    spelled({ Timestamp(seconds: $0).iso8601 }, { Timestamp(iso8601: $0)?.seconds })
  }
}

// MARK: - The dialect

extension PairedServer {
  /// Corrects the dialect by the stream that the server actually has.
  package mutating func learn(_ stream: Dialect.Stream) {
    guard dialect?.stream != stream else { return }
    dialect = Dialect.named.first { $0.dialect.stream == stream }?.dialect
  }
}

package struct Endpoint: Sendable, Hashable {
  package enum Scheme: String, Sendable, CaseIterable {
    case http
    case https
  }

  package internal(set) var scheme: Scheme
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  package internal(set) var host: String
  package internal(set) var port: Int

  fileprivate static let ports = 1...65535

  /// A placeholder in records that are being read.
  fileprivate static let blank = Endpoint(scheme: .http, bareHost: "", port: 1)

  private init(scheme: Scheme, bareHost: String, port: Int) {
    (self.scheme, host, self.port) = (scheme, bareHost, port)
  }

  /// Fails for a port out of range and for a host that is invalid in a `Host` header.
  package init?(scheme: Scheme, host: String, port: Int) {
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard Self.ports.contains(port), (1...253).contains(bare.utf8.count),
      bare.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._:%".utf8.contains($0) })
    else { return nil }
    self.init(scheme: scheme, bareHost: bare, port: port)
  }

  /// The value of the `Host` header, with brackets around an IPv6 address.
  package var authority: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension Endpoint: CustomStringConvertible {
  package var description: String { "\(scheme.rawValue)://\(authority)" }
}
