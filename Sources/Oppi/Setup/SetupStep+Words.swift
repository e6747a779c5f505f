// SPDX-License-Identifier: MIT

extension SetupStep {
  /// The step as a line to copy.
  var words: String {
    switch self {
    case .zshFunctions(let folder):
      "add to ~/.zshrc, before compinit: fpath+=(\(Self.quoted(folder)))"
    case .units(let areWritten, let restarted, let enabled):
      [
        areWritten ? "daemon-reload" : nil,
        restarted.isEmpty ? nil : "restart \(restarted.joined(separator: " "))",
        enabled.isEmpty ? nil : "enable --now \(enabled.joined(separator: " "))",
      ]
      .compactMap(\.self).map { "systemctl --user \($0)" }.joined(separator: " && ")
    case .linkHandler(let entry): "xdg-mime default \(entry) x-scheme-handler/oppi"
    case .removedUnits(let names, let links):
      "systemctl --user stop \(names.joined(separator: " ")); "
        + "rm \(links.map(Self.quoted).joined(separator: " "))"
    }
  }

  /// Quotes a word for a shell.
  private static func quoted(_ word: String) -> String {
    "'\(word.replacing("'", with: "'\\''"))'"
  }
}
