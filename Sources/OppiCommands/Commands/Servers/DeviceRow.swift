// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

struct DeviceRow {
  let row: ServerDevices.Row

  private var device: PairedDevice { row.device }

  static let shape: JSONShape<DeviceRow> = [
    .member("id", "Its id") { .string($0.device.id) },
    .member("name", "Its name") { .string($0.device.name) },
    .member("createdAt", "When it was paired, or null") { time($0.device.createdAt) },
    .member("lastUsedAt", "When it was last used, or null") { time($0.device.lastUsedAt) },
    .member("revokedAt", "When it was revoked, or null") { time($0.device.revokedAt) },
    .member("current", "Whether it is this machine") { .bool($0.row.isThis) },
    .server { $0.row.server },
  ]

  private static func time(_ moment: Timestamp?) -> JSONValue {
    moment.map { .string($0.iso8601) } ?? .null
  }

  var document: JSONValue { Self.shape.document(of: self) }

  func cells(isOnlyServer: Bool, now: Timestamp) -> [StyledText] {
    func age(_ moment: Timestamp?, _ word: String) -> String {
      moment.map { "\(word) \(RelativeTime.age(seconds: $0.age(at: now))) ago" } ?? ""
    }
    return [
      StyledText(device.id, .name),
      StyledText(isOnlyServer ? "" : row.server.name),
      StyledText(device.name),
      StyledText(age(device.createdAt, "paired"), .dim),
      StyledText(device.lastUsedAt == nil ? "never used" : age(device.lastUsedAt, "used"), .dim),
      device.isRevoked
        ? StyledText(age(device.revokedAt, "revoked"), .warning)
        : StyledText(row.isThis ? "this machine" : "", .success),
    ]
  }

  var pipeCells: [String] {
    [
      device.id, row.server.name, device.name, device.createdAt?.iso8601 ?? "",
      device.lastUsedAt?.iso8601 ?? "", device.revokedAt?.iso8601 ?? "",
      row.isThis ? "current" : "",
    ]
  }
}
