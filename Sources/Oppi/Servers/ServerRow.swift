// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

struct ServerRow {
  let server: PairedServer
  /// Whether it is the first of the paired servers.
  let isDefault: Bool

  static let shape: JSONShape<ServerRow> = [
    .text("id", "Its identity") { $0.server.id.text },
    .text("name", "Its local name") { $0.server.name },
    .text("scheme", "http or https") { $0.server.endpoint.scheme.rawValue },
    .text("host", "Its host") { $0.server.endpoint.host },
    .number("port", "Its port") { $0.server.endpoint.port },
    .text("url", "Its address") { $0.server.endpoint.description },
    .member("tlsCertFingerprint", "The pin of its certificate, if it is pinned") {
      $0.server.certificatePin.map { .string($0.text) }
    },
    .text("pairedAt", "When it was paired") { Timestamp(seconds: $0.server.addedAt).iso8601 },
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
