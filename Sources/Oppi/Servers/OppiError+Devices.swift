// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension OppiError {
  init(_ error: DeviceError) {
    switch error {
    case .noDevices(let server):
      self.init(
        .serverError,
        "\(server) does not list devices; it is older than September 2026",
        hints: ["revoke all tokens on the server's machine: oppi token rotate"]
      )
    case .unknown(let name, let server):
      self.init(
        .notSet,
        "\(server) has no device '\(name.safeLine(limit: 80))'",
        hints: [Self.listDevices]
      )
    case .ambiguous(let name, let candidates):
      let ids = candidates.prefix(10).map { "\($0.id) (\($0.name))" }.joined(separator: ", ")
      self.init(
        .ambiguousName,
        "'\(name.safeLine(limit: 80))' is ambiguous: it matches several devices",
        hints: ["use one of: \(ids)"]
      )
    }
  }

  private static let listDevices = "list the devices with: oppi servers devices"

  static func alreadyRevoked(_ device: String, server: String) -> OppiError {
    OppiError(
      .requestGone,
      "\(server) had already revoked \(device)",
      hints: [listDevices]
    )
  }

  static let confirmationNeeded = OppiError(
    .usage,
    "this command requires confirmation",
    hints: ["run it on a terminal, or add --yes"]
  )

  static func serverNeeded(_ names: [String]) -> OppiError {
    OppiError(
      .usage,
      "several servers are paired; select one with --server",
      hints: ["available: \(names.prefix(20).joined(separator: ", "))"]
    )
  }
}
