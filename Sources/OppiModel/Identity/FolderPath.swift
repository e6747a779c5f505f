// SPDX-License-Identifier: MIT

/// A folder on this machine, as the names that lead to it from the root.
///
/// `.` and empty names are left out and `..` takes the name before it away: no disk is looked at, so
/// what a link is stays open.
package struct FolderPath: Sendable, Hashable {
  private let names: [String]

  /// Reads an absolute path, or one below the home folder as `~` and `~/…`; `nil` for any other.
  package init?(_ text: String, home: String) {
    let isBelowHome = text == "~" || text.hasPrefix("~/")
    let path = isBelowHome ? home + text.dropFirst() : text
    guard path.hasPrefix("/") else { return nil }
    names = path.split(separator: "/").reduce(into: []) { names, name in
      switch name {
      case ".": break
      case "..": _ = names.popLast()
      default: names.append(String(name))
      }
    }
  }

  /// How many levels the folder is above another, 0 for the same one; `nil` where it is not above.
  package func levels(above other: FolderPath) -> Int? {
    other.names.starts(with: names) ? other.names.count - names.count : nil
  }

  /// The path as a person writes it: below the home folder with `~`.
  package func text(home: String) -> String {
    if let home = FolderPath(home, home: ""), !home.names.isEmpty, home.levels(above: self) != nil {
      return (["~"] + names.dropFirst(home.names.count)).joined(separator: "/")
    }
    return "/" + names.joined(separator: "/")
  }
}
