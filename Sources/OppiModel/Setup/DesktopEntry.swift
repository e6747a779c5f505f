// SPDX-License-Identifier: MIT

/// The desktop entries (Desktop Entry Specification 1.5) that start the program from menus and
/// links.
package enum DesktopEntry {
  /// The program's menu entry, with an action for each command that works without a terminal.
  package static func application(of program: SetupProgram) -> String {
    """
    [Desktop Entry]
    Type=Application
    Name=\(program.name)
    GenericName=Coding Agents
    Comment=Open a session with a coding agent on your own server
    Icon=utilities-terminal
    Exec=\(commandLine([program.path, "new"]))
    Terminal=false
    Categories=Development;
    Keywords=agent;prompt;session;
    Actions=ask;new-session;

    [Desktop Action ask]
    Name=Ask
    Exec=\(commandLine([program.path, "pick", "workspaces"]))

    [Desktop Action new-session]
    Name=New Session
    Exec=\(commandLine([program.path, "new"]))

    """
  }

  /// The handler of `oppi://` links; it asks before it follows a link.
  package static func linkHandler(of program: SetupProgram) -> String {
    """
    [Desktop Entry]
    Type=Application
    Name=\(program.name): pair with a server
    Comment=Shows the server of an oppi:// link and asks before pairing with it
    Icon=utilities-terminal
    Exec=\(commandLine([program.path, "pair", "--link", "--"])) %u
    Terminal=false
    NoDisplay=true
    MimeType=x-scheme-handler/oppi;

    """
  }

  /// Returns words as the value of `Exec`.
  ///
  /// Words with reserved characters are in double quotes, `%` is doubled, and then each backslash
  /// is doubled, as in every string value.
  package static func commandLine(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let plain = word.replacing("%", with: "%%")
    guard word.isEmpty || word.contains(where: { " \t\"'\\><~|&;$*?#()`".contains($0) }) else {
      return plain
    }
    let escaped = plain.map { "\"`$\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    return "\"\(escaped)\"".replacing("\\", with: "\\\\")
  }
}

/// The program as other programs start it.
package struct SetupProgram: Sendable, Equatable {
  /// Its name on the command line.
  package let name: String
  /// Its file, an absolute path in one line.
  package let path: String

  package init(name: String, path: String) {
    (self.name, self.path) = (name, path)
  }
}

// MARK: - The names of its files

extension SetupProgram {
  package var linkHandler: String { "\(name)-link.desktop" }
  package var watchUnit: String { "\(name)-watch.service" }
  package var outboxService: String { "\(name)-outbox.service" }
  package var outboxTimer: String { "\(name)-outbox.timer" }

  /// A unit that a user enables, with the target that wants it.
  package typealias Unit = (name: String, target: String)

  /// The units that a user can enable; the first one includes the function of the others.
  package var enabledUnits: [Unit] {
    [(watchUnit, "default.target"), (outboxTimer, "timers.target")]
  }
}
