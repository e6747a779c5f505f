// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiTransport

// MARK: - The system

extension OppiError {
  init(_ error: SystemError) {
    self.init(.ioFailed, "the system refuses \(error.call): \(error)")
  }

  init(_ error: OutputStream.Failure) {
    switch error {
    case .failed(let cause): self.init(.ioFailed, "cannot write the output: \(cause)")
    case .timedOut: self.init(.ioFailed, "cannot write the output: nobody reads it")
    case .readerGone: self.init(.ioFailed, "cannot write the output: its reader is gone")
    case .cancelled: self.init(.interrupted, "interrupted")
    }
  }
}

extension OppiError {
  init(_ error: FileError) {
    switch error {
    case .cannotRead(let path, let cause): self.init(.ioFailed, "cannot read \(path): \(cause)")
    case .cannotWrite(let path, let cause): self.init(.ioFailed, "cannot write \(path): \(cause)")
    case .cannotCreate(let path, let cause):
      self.init(.cannotCreate, "cannot create \(path): \(cause)")
    case .unsafeMode(let path, let mode, let needed):
      self.init(
        .unsafeMode,
        "\(path) has mode \(String(mode, radix: 8)), which lets others at it",
        hints: ["run: chmod \(needed) '\(path)'"]
      )
    case .foreign(let path):
      self.init(
        .unsafeMode,
        "\(path) belongs to another user, who could change it",
        hints: ["make it your own: sudo chown \"$USER\" '\(path)'"]
      )
    case .unsafeFolder(let path, let mode):
      self.init(
        .unsafeMode,
        "\(path) has mode \(String(mode, radix: 8)), which lets others replace the files in it",
        hints: ["run: chmod go-w '\(path)'"]
      )
    case .corrupt(let path, let cause):
      self.init(
        .badConfiguration,
        "\(path) is damaged: \(cause)",
        hints: [Self.remedy(for: path)]
      )
    case .unusable(let path, let reason):
      self.init(
        .badConfiguration,
        "\(path) cannot be used: \(reason)",
        hints: [Self.remedy(for: path)]
      )
    case .wrongType(let path, let name, let setting, let found, let expected):
      self.init(
        .badConfiguration,
        "'\(name)' in \(path) is \(found); expected \(expected)",
        hints: ["correct it there, or with: oppi config set \(setting) VALUE"]
      )
    case .lockHeld(let path):
      self.init(.locked, "another oppi holds \(path)", hints: ["try again in a moment"])
    case .tooLarge(let path, let limit):
      self.init(.badInput, "\(path) is larger than \(Self.size(limit))")
    }
  }

  /// What helps with a damaged file, which only pairing can write anew where it is about servers.
  private static func remedy(for path: String) -> String {
    let isOfPairing = ["/servers.json", "/credentials.json"].contains { path.hasSuffix($0) }
    return "repair it, or move it away\(isOfPairing ? " and pair again" : ""); it was left as it is"
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}
