// SPDX-License-Identifier: MIT

import OppiModel

/// A terminal window of this user's desktop.
package struct TerminalWindow {
  /// Why a window cannot be opened.
  package enum Failure: Error, Sendable, Equatable {
    /// `$TERMINAL` is not a command line.
    case unreadableSetting(String)
  }

  private let environment: [String: String]
  private let programs: any ProgramAccess

  package init(environment: [String: String], programs: any ProgramAccess) {
    self.environment = environment
    self.programs = programs
  }

  /// Returns the words that run a program in a window of the first terminal that is installed; `nil` if
  /// there is none.
  package func command(running program: [String]) throws(Failure) -> [String]? {
    let own = try terminal()
    let candidates =
      hasDisplay ? [["xdg-terminal-exec"], own, ["x-terminal-emulator", "-e"]] : [own]
    for case let command? in candidates where programs.has(command[0]) {
      return command + program
    }
    return nil
  }

  /// Whether there is a screen for windows; the terminal that the user has chosen may do without one.
  private var hasDisplay: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// The words of `$TERMINAL`, behind which a program may stand.
  private func terminal() throws(Failure) -> [String]? {
    guard let text = environment["TERMINAL"], !text.isEmpty else { return nil }
    guard let words = ShellWords.split(text), words.first?.isEmpty == false else {
      throw .unreadableSetting(text)
    }
    let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
    return isReady ? words : words + ["-e"]
  }
}
