// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// A terminal window of this user's desktop.
struct TerminalWindow {
  let environment: [String: String]

  /// The words that run a program in a window, by the first terminal that is there; `nil` where none
  /// is.
  ///
  /// - Throws: Where `$TERMINAL` cannot be read.
  func command(running program: [String]) throws(OppiError) -> [String]? {
    let candidates = [
      ["xdg-terminal-exec"], try terminal(), ["x-terminal-emulator", "-e"],
    ]
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    for case let command? in candidates where Program.find(command[0], path: path) != nil {
      return command + program
    }
    return nil
  }

  /// The words of `$TERMINAL`, behind which a program may stand.
  private func terminal() throws(OppiError) -> [String]? {
    guard let text = environment["TERMINAL"], !text.isEmpty else { return nil }
    do throws(ArgumentValueError) {
      let words = try ProgramLine(argument: text).words
      let isReady = words.count > 1 && ["-e", "-x", "--"].contains(words.last)
      return isReady ? words : words + ["-e"]
    } catch {
      throw OppiError(.badConfiguration, "$TERMINAL \(error.message), not '\(text.safeLine())'")
    }
  }
}
