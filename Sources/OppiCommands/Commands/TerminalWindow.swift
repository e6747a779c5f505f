// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// A terminal window of this user's desktop.
struct TerminalWindow {
  private let environment: [String: String]
  private let programs: any ProgramAccess

  init(in context: Context) {
    environment = context.environment
    programs = context.programs
  }

  /// The words that run a program in a window, by the first terminal that is there; `nil` where none
  /// is.
  ///
  /// - Throws: Where `$TERMINAL` cannot be read.
  func command(running program: [String]) throws(OppiError) -> [String]? {
    let own = try terminal()
    let candidates =
      hasDisplay ? [["xdg-terminal-exec"], own, ["x-terminal-emulator", "-e"]] : [own]
    for case let command? in candidates where programs.has(command[0]) {
      return command + program
    }
    return nil
  }

  /// Whether there is a screen for windows; what the user has chosen may do without one.
  private var hasDisplay: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// The words of `$TERMINAL`, behind which a program may stand.
  private func terminal() throws(OppiError) -> [String]? {
    guard let text = environment["TERMINAL"], !text.isEmpty else { return nil }
    do throws(ArgumentValueError) {
      let words = try ProgramLine(argument: text).words
      let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
      return isReady ? words : words + ["-e"]
    } catch {
      throw .invalidTerminal(text, because: error.message)
    }
  }
}
