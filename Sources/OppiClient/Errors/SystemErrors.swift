// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiText

// MARK: - The system

extension SystemError: ExplainedError {
  var explanation: OppiError { OppiError(.ioFailed, "\(call) failed: \(self)") }
}

extension OutputStream.Failure: ExplainedError {
  var explanation: OppiError {
    switch self {
    case .failed(let cause): OppiError(.ioFailed, "cannot write the output: \(cause)")
    case .timedOut: OppiError(.ioFailed, "cannot write the output: timed out")
    case .readerClosed: OppiError(.ioFailed, "cannot write the output: closed by the reader")
    case .cancelled: OppiError(.interrupted, "interrupted")
    }
  }
}

extension Editor.Failure: ExplainedError {
  var explanation: OppiError {
    let editors = "set VISUAL or EDITOR to your editor"
    return switch self {
    case .cannotStart(let cause):
      OppiError(.ioFailed, "cannot start the editor: \(cause)", hints: [editors])
    case .gaveUp(let command, let status):
      OppiError(
        .badInput,
        "the editor '\(command.safeLine(limit: 60))' exited with status \(status); nothing was changed",
        hints: [editors]
      )
    case .file(let cause): cause.explanation
    case .cutOff(let folder):
      OppiError(
        .interrupted,
        "interrupted while the editor was open",
        hints: folder.map { ["your text is in \($0)"] } ?? []
      )
    }
  }
}

extension FileError: ExplainedError {
  package var explanation: OppiError {
    switch self {
    case .cannotRead(let path, let cause): OppiError(.ioFailed, "cannot read", path, cause)
    case .cannotWrite(let path, let cause): OppiError(.ioFailed, "cannot write", path, cause)
    case .cannotCreate(let path, let cause): OppiError(.cannotCreate, "cannot create", path, cause)
    case .unsafeMode(let path, let mode, let needed):
      OppiError(
        .unsafeMode,
        "\(path) has mode \(String(mode, radix: 8)), which gives other users access",
        hints: ["run: chmod \(needed) '\(path)'"]
      )
    case .foreign(let path):
      OppiError(
        .unsafeMode,
        "\(path) belongs to another user",
        hints: ["run: sudo chown \"$USER\" '\(path)'"]
      )
    case .unsafeFolder(let path, let mode):
      OppiError(
        .unsafeMode,
        "\(path) has mode \(String(mode, radix: 8)), which allows other users to replace its files",
        hints: ["run: chmod go-w '\(path)'"]
      )
    case .corrupt(let path, let cause):
      OppiError(
        .badConfiguration,
        "\(path) is damaged: \(cause)",
        hints: [OppiError.remedy(for: path)]
      )
    case .unusable(let path, let reason):
      OppiError(
        .badConfiguration,
        "cannot use \(path): \(reason)",
        hints: [OppiError.remedy(for: path)]
      )
    case .newerVersion(let path, let version):
      OppiError(
        .badConfiguration,
        "\(path) has version \(version), which this version of oppi does not support; it was not changed",
        hints: ["update oppi on this machine"]
      )
    case .wrongType(let path, let name, let setting, let found, let expected):
      OppiError(
        .badConfiguration,
        "\(name.asSetting) in \(path) is \(found); expected \(expected)",
        hints: [OppiError.correction(with: setting)]
      )
    case .unusableSetting(let path, let name, let reason):
      OppiError(
        .badConfiguration,
        "\(name.asSetting) in \(path) \(reason)",
        hints: [OppiError.correction(with: nil)]
      )
    case .lockHeld(let path):
      OppiError(.locked, "another oppi process has locked \(path)", hints: ["retry"])
    case .tooLarge(let path, let limit):
      OppiError(.badInput, "\(path) is larger than \(OppiError.size(limit))")
    }
  }
}

extension OppiError {
  fileprivate init(_ code: Code, _ action: String, _ path: String, _ cause: SystemError) {
    var hints: [String] = []
    if cause.isRefusal { hints.append("show the permissions: namei -l '\(path)'") }
    if cause.isDiskFull { hints.append("free some disk space") }
    self.init(code, "\(action) \(path): \(cause)", hints: hints)
  }

  /// The remedy for a damaged file; pairing again rewrites those about servers.
  fileprivate static func remedy(for path: String) -> String {
    // An invalid launch target was removed.
    if path.hasSuffix("/launch-target.json") { return "create a new one with: oppi new" }
    let isOfPairing = ["/servers.json", "/credentials.json"].contains { path.hasSuffix($0) }
    return "repair it, or move it away\(isOfPairing ? " and pair again" : ""); it was not changed"
  }

  /// How to correct a setting; `words` names it for `oppi config set`, if possible.
  static func correction(with words: String?) -> String {
    "correct it in the file" + (words.map { ", or with: oppi config set \($0) VALUE" } ?? "")
  }

  static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}

extension String {
  /// The name of a setting for a sentence, in quotation marks unless a part already has them.
  var asSetting: String { contains("\"") ? self : "'\(self)'" }
}
