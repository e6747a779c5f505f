// SPDX-License-Identifier: MIT

/// The answer of `GET /server/info`.
package struct ServerInfo: Sendable, Equatable {
  package var name: String
  package var version: String?
  /// `nil` if the server has no identity key.
  package var fingerprint: Fingerprint?

  /// Reads the server's object, leniently.
  package init(json: JSONValue) {
    name = json["name"].line(80) ?? ""
    version = json["version"].line(40)
    fingerprint = json["identity"]["fingerprint"].text(.name).flatMap { Fingerprint($0) }
  }
}
