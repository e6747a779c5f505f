// SPDX-License-Identifier: MIT

/// A folder on this machine, as its path components.
///
/// `.` and empty components are dropped, and `..` removes the component before it. The file system
/// is not read, so symbolic links are not resolved.
package struct FolderPath: Sendable, Hashable {
  private let names: [String]

  /// Parses an absolute path, or `~` and `~/…` below the home folder; `nil` for any other path.
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

  /// The levels from this folder down to another, 0 for the same; `nil` if it is not an ancestor.
  package func levels(above other: FolderPath) -> Int? {
    other.names.starts(with: names) ? other.names.count - names.count : nil
  }

  /// The path, with `~` for the home folder.
  package func text(home: String) -> String {
    if let home = FolderPath(home, home: ""), !home.names.isEmpty, home.levels(above: self) != nil {
      return (["~"] + names.dropFirst(home.names.count)).joined(separator: "/")
    }
    return "/" + names.joined(separator: "/")
  }
}
