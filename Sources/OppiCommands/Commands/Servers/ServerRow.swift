// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// A paired server as a row.
struct ServerRow {
  let server: PairedServer
  /// Whether it is the first of the paired servers.
  let isDefault: Bool

  static let shape: JSONShape<ServerRow> = [
    .member("id", "Its identity") { .string($0.server.id.text) },
    .member("name", "Its local name") { .string($0.server.name) },
    .member("scheme", "http or https") { .string($0.server.endpoint.scheme.rawValue) },
    .member("host", "Its host") { .string($0.server.endpoint.host) },
    .member("port", "Its port") { .integer(Int64($0.server.endpoint.port)) },
    .member("url", "Its address") { .string($0.server.endpoint.description) },
    .member("tlsCertFingerprint", "The pin of its certificate, if it is pinned") {
      $0.server.certificatePin.map { .string($0.text) }
    },
    .member("pairedAt", "When it was paired") {
      .string(Timestamp(seconds: $0.server.addedAt).iso8601)
    },
    .member("dialect", "Its streaming dialect, if known") {
      $0.server.dialect.map { .string($0.name) }
    },
    .member("default", "Whether it is the default server") { .bool($0.isDefault) },
  ]

  var document: JSONValue { Self.shape.document(of: self) }
}

enum ServerLabel {
  /// Throws if a label is ambiguous among the other names, or not printable.
  static func check(_ label: String) throws(UsageError) {
    guard label.safeLine(limit: 80) == label, !label.isEmpty,
      !label.contains(where: { "/|→".contains($0) })
    else {
      throw UsageError(
        .custom("a server's name is up to 80 printable characters without / | →")
      )
    }
  }
}
