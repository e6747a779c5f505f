// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  private static let setAppCommand = "oppi config set app.command 'PROGRAM ARGUMENT...'"

  static func cannotBecome(_ command: String, because cause: any Error) -> OppiError {
    OppiError(.ioFailed, "cannot run '\(command)': \(cause)")
  }

  static let noTerminalForSession = OppiError(
    .badConfiguration,
    "no terminal found to open the session in; the launch target is valid for 60 s",
    hints: ["set $TERMINAL, or: \(setAppCommand)"]
  )

  static func cannotStartApp(_ program: String, because cause: any Error) -> OppiError {
    OppiError(
      .badConfiguration,
      "cannot start \(program): \(cause)",
      hints: ["change it with: \(setAppCommand)"]
    )
  }
}

// MARK: - Help and examples

extension OppiError {
  static func noHelp(on name: String, topics: [String]) -> OppiError {
    OppiError(
      .usage,
      "no help on '\(name.safeLine())'",
      hints: ["topics: \(topics.joined(separator: ", "))"]
    )
  }

  static func noManualPage(_ name: String, hint: String) -> OppiError {
    OppiError(.usage, "no manual page '\(name.safeLine())'", hints: [hint])
  }

  /// An unknown example; the hint is the most similar name, if any.
  static func noSuchExample(_ name: String, closest close: String?) -> OppiError {
    OppiError(
      .noInput,
      "no example '\(name.safeLine(limit: 60))'",
      hints: [close.map { "did you mean '\($0)'?" } ?? "list them with: oppi examples"]
    )
  }

  static func noFile(_ path: String, in example: String, files: [String]) -> OppiError {
    OppiError(
      .noInput,
      "example \(example) has no file '\(path.safeLine(limit: 60))'",
      hints: ["files: \(files.joined(separator: ", "))"]
    )
  }

  static let noApprovalInDemo = OppiError(.timedOut, "the demo agent did not ask anything")

  static func argumentNotUTF8(_ index: Int) -> OppiError {
    OppiError(.badInput, "argument \(index) is not valid UTF-8")
  }
}
