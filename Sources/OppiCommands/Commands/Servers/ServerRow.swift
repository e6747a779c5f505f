// SPDX-License-Identifier: MIT

import OppiModel

/// One server as a row and as an object.
enum ServerRow {
  static func json(_ server: PairedServer, isDefault: Bool) -> JSONValue {
    .members([
      "id": .string(server.id.text),
      "name": .string(server.name),
      "scheme": .string(server.endpoint.scheme.rawValue),
      "host": .string(server.endpoint.host),
      "port": .integer(Int64(server.endpoint.port)),
      "url": .string(server.endpoint.description),
      "tlsCertFingerprint": server.certificatePin.map { .string($0.text) },
      "pairedAt": .string(Timestamp(seconds: server.addedAt).iso8601),
      "dialect": server.dialect.map { .string($0.rawValue) },
      "default": .bool(isDefault),
    ])
  }
}
