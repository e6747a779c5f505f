// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// Opens the app: the program that claims the launch target.
struct AppOpener {
  let settings: ConfigFile.Settings
  let context: Context

  /// Opens it, and returns a line that says how.
  func open() throws -> String {
    if let app: ProgramLine = try settings.value(of: .appCommand) { return try start(app.words) }
    if context.console.policy.destination.isConversation {
      let name = context.programName
      let failure = Program.become(["launch"], as: name)
      throw OppiError(.ioFailed, "cannot go on as '\(name) launch': \(failure)")
    }
    let window = context.terminalWindow
    guard let command = try window.command(running: [context.programPath(), "launch"]) else {
      throw OppiError(
        .badConfiguration,
        "no terminal to open the session in; the target waits for 60 s",
        hints: ["set $TERMINAL, or: oppi config set app.command 'PROGRAM ARGUMENT...'"]
      )
    }
    return try start(command)
  }

  private func start(_ command: [String]) throws -> String {
    do {
      try context.programs.startDetached(command)
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
