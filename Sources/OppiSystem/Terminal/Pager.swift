// SPDX-License-Identifier: MIT

package import EventLoop
import OppiModel

/// The program that shows long text on the terminal, chosen as by git.
package struct Pager: Sendable {
  /// Characters that only a shell understands.
  private static let shellCharacters = "|&;<>()$`*?[#~=%!{}\\\"'\n"
  /// No limit: the user reads.
  private static let limit = Duration.seconds(365 * 86_400)
  /// The exit statuses of a shell that cannot start a program.
  private static let unstarted: Set<Int32> = [126, 127]

  let arguments: [String]
  let environment: [String: String]

  /// `PAGER` is the command, by default `less`; `nil` if it is empty or `cat`, if the program does
  /// not exist, or on a terminal that cannot be drawn on.
  package init?(environment: [String: String], programs: any ProgramAccess) {
    let command = (environment["PAGER"] ?? "less").trimmed
    guard !["", "cat"].contains(command), !["", "dumb"].contains(environment["TERM"] ?? "") else {
      return nil
    }
    if command.contains(where: Self.shellCharacters.contains) {
      arguments = ["/bin/sh", "-c", command]
    } else {
      arguments = command.split(separator: " ").map(String.init)
      guard programs.has(arguments[0]) else { return nil }
    }
    // Quits for a text that fits the screen, keeps colours and does not clear the screen.
    self.environment = ["LESS": "FRX", "LV": "-c"].merging(environment) { $1 }
  }

  /// Shows a text until the user has read enough; false if the program could not be started.
  package func show(_ text: String, by programs: any ProgramAccess, on loop: EventLoop) async
    -> Bool
  {
    var process = ChildProcess(arguments: arguments)
    process.environment = environment
    process.input = Array(text.utf8)
    process.isOutputInherited = true
    process.takesTerminal = true
    do {
      let outcome = try await programs.run(process, on: loop, until: loop.now + Self.limit)
      return !Self.unstarted.contains(outcome.status)
    } catch .cannotStart {
      return false
    } catch {
      return true
    }
  }
}
