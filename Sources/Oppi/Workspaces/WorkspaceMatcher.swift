// SPDX-License-Identifier: MIT

import OppiModel

/// Finds the workspaces of all servers that a user's word names.
///
/// The first of these rules with a match applies: `Server/Workspace` or `Server → Workspace` by
/// name, a workspace's name or id, a case-insensitive prefix of a name.
package enum WorkspaceMatcher {
  /// Returns all matches of the first rule that has any; several are ambiguous.
  package static func matches(
    _ word: String,
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    let exact = exactMatches(word, in: all)
    guard exact.isEmpty, !word.isEmpty else { return exact }
    let folded = word.lowercased()
    let rules: [(ServerWorkspace) -> Bool] = [
      { $0.workspace.name.lowercased().hasPrefix(folded) },
      {
        // The server's name and a prefix, as in `studio/opp`.
        $0.qualifiedName.lowercased().hasPrefix(folded)
          && folded.hasPrefix($0.server.name.lowercased() + "/")
      },
    ]
    return first(of: rules, in: all)
  }

  /// Returns the matches by full name or id only.
  package static func exactMatches(
    _ word: String,
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    guard !word.isEmpty else { return [] }
    let folded = word.lowercased()
    return first(
      of: [
        { $0.qualifiedName == word || arrowName($0) == word },
        { $0.qualifiedName.lowercased() == folded || arrowName($0).lowercased() == folded },
        { $0.workspace.name == word || $0.workspace.id == word },
        { $0.workspace.name.lowercased() == folded },
      ],
      in: all
    )
  }

  private static func first(
    of rules: [(ServerWorkspace) -> Bool],
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    rules.lazy.map { all.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private static func arrowName(_ item: ServerWorkspace) -> String {
    "\(item.server.name) → \(item.workspace.name)"
  }
}
