// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// Opens the app, which claims the launch target.
struct AppOpener {
  let settings: ConfigFile.Settings
  let context: Context

  /// Opens the app, and returns a line about how.
  func open() throws -> String {
    if let app: ProgramLine = try settings.value(of: .appCommand) { return try start(app.words) }
    if context.console.policy.destination.isConversation {
      let name = context.programName
      let options = context.options.isAccessible ? ["--accessible"] : []
      let failure = Program.become(["launch"] + options, as: name)
      throw OppiError.cannotBecome("\(name) launch", because: failure)
    }
    let window = context.terminalWindow
    guard let command = try window.command(running: [context.programPath(), "launch"]) else {
      throw OppiError.noTerminalForSession
    }
    return try start(command)
  }

  private func start(_ command: [String]) throws -> String {
    do {
      try context.programs.startDetached(command)
    } catch {
      throw OppiError.cannotStartApp(command[0], because: error)
    }
    return "opening with \(command[0])"
  }
}
