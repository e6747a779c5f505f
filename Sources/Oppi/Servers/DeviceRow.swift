// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

struct DeviceRow {
  let row: ServerDevices.Row

  private var device: PairedDevice { row.device }

  static let shape: JSONShape<DeviceRow> = [
    .text("id", "Its id") { $0.device.id },
    .text("name", "Its name") { $0.device.name },
    .text("createdAt", "When it was paired, or null") { $0.device.createdAt?.iso8601 },
    .text("lastUsedAt", "When it was last used, or null") { $0.device.lastUsedAt?.iso8601 },
    .text("revokedAt", "When it was revoked, or null") { $0.device.revokedAt?.iso8601 },
    .member("current", "Whether it is this machine") { .bool($0.row.isThis) },
    .server { $0.row.server },
  ]

  var document: JSONValue { Self.shape.document(of: self) }

  static let roles: [TableColumn] = [
    .detail(3), .context, .decides, .detail(1), .detail(2), .kept,
  ]

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
