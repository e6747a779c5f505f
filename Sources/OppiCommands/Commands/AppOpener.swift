// SPDX-License-Identifier: MIT

import OppiSystem

/// Opens the app: the program that claims the launch target.
struct AppOpener {
  let context: Context

  /// Opens it, and returns a line that says how.
  func open() async throws -> String {
    if let command = try await Config.load(in: context)[.appCommand] {
      return try start(command.split(separator: " ").map(String.init))
    }
    if context.console.policy.destination.isConversation {
      throw OppiError(.ioFailed, "cannot go on as 'oppi launch': \(Program.become(["launch"]))")
    }
    return try start(try windowCommand())
  }

  /// The words that run `oppi launch` in a terminal window, for the first terminal that is there.
  private func windowCommand() throws -> [String] {
    let launch = [Program.ownPath(), "launch"]
    let terminal = context.nonEmpty("TERMINAL")
    let candidates = [
      ["xdg-terminal-exec"], terminal.map { [$0, "-e"] }, ["x-terminal-emulator", "-e"],
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
