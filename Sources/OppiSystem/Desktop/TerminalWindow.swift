// SPDX-License-Identifier: MIT

import OppiModel

package struct TerminalWindow {
  package enum Failure: Error, Sendable, Equatable {
    /// `$TERMINAL` is not a valid command line.
    case unreadableSetting(String)
  }

  private let environment: [String: String]
  private let programs: any ProgramAccess

  package init(environment: [String: String], programs: any ProgramAccess) {
    self.environment = environment
    self.programs = programs
  }

  /// The command for a program in a window of the first installed terminal; `nil` without one.
  package func command(running program: [String]) throws(Failure) -> [String]? {
    let own = try terminal()
    let candidates =
      hasDisplay ? [["xdg-terminal-exec"], own, ["x-terminal-emulator", "-e"]] : [own]
    for case let command? in candidates where programs.has(command[0]) {
      return command + program
    }
    return nil
  }

  /// Whether there is a display for windows; the terminal in `$TERMINAL` may not need one.
  private var hasDisplay: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// The words of `$TERMINAL`, to which a program can be appended.
  private func terminal() throws(Failure) -> [String]? {
    guard let text = environment["TERMINAL"], !text.isEmpty else { return nil }
    guard let words = ShellWords.split(text), words.first?.isEmpty == false else {
      throw .unreadableSetting(text)
    }
    let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
    return isReady ? words : words + ["-e"]
  }
}
