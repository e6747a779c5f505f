// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// Opens the app: the program that claims the launch target.
struct AppOpener {
  let context: Context

  /// Opens it, and returns a line that says how.
  func open() async throws -> String {
    let settings = try await Config.load(in: context)
    if let app: ProgramLine = try settings.value(of: .appCommand) { return try start(app.words) }
    if context.console.policy.destination.isConversation {
      throw OppiError(.ioFailed, "cannot go on as 'oppi launch': \(Program.become(["launch"]))")
    }
    return try start(try windowCommand())
  }

  /// The words that run `oppi launch` in a terminal window, for the first terminal that is there.
  private func windowCommand() throws -> [String] {
    let launch = [Program.ownPath(), "launch"]
    let candidates = [
      ["xdg-terminal-exec"], try terminal(), ["x-terminal-emulator", "-e"],
    ]
    let path = context.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    for case let command? in candidates where Program.find(command[0], path: path) != nil {
      return command + launch
    }
    throw OppiError(
      .badConfiguration,
      "no terminal to open the session in; the target waits for 60 s",
      hints: ["set $TERMINAL, or: oppi config set app.command 'PROGRAM ARGUMENT...'"]
    )
  }

  /// The words of `$TERMINAL`, behind which a program may stand.
  private func terminal() throws -> [String]? {
    guard let text = context.nonEmpty("TERMINAL") else { return nil }
    do throws(ArgumentValueError) {
      let words = try ProgramLine(argument: text).words
      let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
      return isReady ? words : words + ["-e"]
    } catch {
      throw OppiError(.badConfiguration, "$TERMINAL \(error.message), not '\(text.safeLine())'")
    }
  }

  private func start(_ command: [String]) throws -> String {
    do {
      try Program.startDetached(command)
    } catch {
      throw OppiError(
        .badConfiguration,
        "cannot start \(command[0]): \(error)",
        hints: ["change it with: oppi config set app.command 'PROGRAM ARGUMENT...'"]
      )
    }
    return "opening with \(command[0])"
  }
}
