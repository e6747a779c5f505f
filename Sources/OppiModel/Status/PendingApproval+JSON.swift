// SPDX-License-Identifier: MIT

extension PendingApproval {
  /// The number of requests read per session.
  private static let limit = 100

  /// The members of a request's object, for ``FleetStatus/members``.
  static let members: [(path: String, meaning: String)] = [
    ("id", "The request's id"),
    ("tool", "The tool to be called"),
    ("summary", "A summary of the call, truncated if long"),
    ("reason", "The reason given by the server; absent if none"),
    ("risk", "The estimated risk: read, write, exfiltration, destructive or high"),
    ("expiresAt", "When it is auto-denied, on this machine's clock; absent if never"),
  ]

  /// The object of the file.
  var json: JSONValue {
    .object([
      "id": .string(id), "tool": .string(tool), "summary": .string(summary),
      "reason": reason.map(JSONValue.string), "risk": .string(risk.word),
      "expiresAt": expiresAt?.json,
    ])
  }

  /// Reads the object of the file; `nil` if it has no valid id.
  init?(json: JSONValue) {
    guard let id = json["id"].string, WireID.isValid(id) else { return nil }
    let risk = Risk.allCases.first { $0.word == json["risk"].string }
    self.init(
      id: id,
      tool: json["tool"].line(60) ?? "",
      summary: json["summary"].line(400) ?? "",
      reason: json["reason"].line(200),
      // An unknown risk counts as high.
      risk: risk ?? .high,
      expiresAt: Timestamp(json: json["expiresAt"])
    )
  }

  /// Reads the list of a session.
  static func list(json: JSONValue) -> [PendingApproval] {
    (json.array ?? []).prefix(limit).compactMap(PendingApproval.init(json:))
  }
}
