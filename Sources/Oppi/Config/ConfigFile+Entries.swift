// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension ConfigFile.Settings {
  /// An entry of `directories`: the workspace of a folder and its subfolders.
  struct DirectoryEntry: Sendable {
    let key: ConfigKey
    let folder: FolderPath
    let workspace: String
  }

  /// Returns the entries of `directories` in the order of the file.
  ///
  /// - Parameter home: The folder that `~` stands for.
  /// - Returns: The entries that name a workspace; each folder once.
  /// - Throws: If a name is neither an absolute path nor one below `~`, if two names refer to the
  ///   same folder, or if a value is not a string.
  func directories(home: @autoclosure () -> String) throws(FileError) -> [DirectoryEntry] {
    let names = try entries(of: ConfigKey.directories).map(\.key)
    guard !names.isEmpty else { return [] }
    let home = home()
    var entries: [DirectoryEntry] = []
    var keys: [FolderPath: ConfigKey] = [:]
    for name in names {
      let key = ConfigKey.directory(name)
      guard let folder = FolderPath(name, home: home) else {
        throw unusable(key.name, "expects a path that starts with / or ~/")
      }
      if let other = keys.updateValue(key, forKey: folder) {
        throw unusable(key.name, "is the same folder as \(other.name); remove one of them")
      }
      guard let workspace = try text(of: key) else { continue }
      entries.append(DirectoryEntry(key: key, folder: folder, workspace: workspace))
    }
    return entries
  }

  /// Returns the entry of the nearest folder at or above the working directory, over both of its
  /// paths; `nil` if there is none.
  ///
  /// - Throws: What ``directories(home:)`` throws.
  func directory(
    above place: @autoclosure () -> WorkingDirectory
  ) throws(FileError) -> DirectoryEntry? {
    guard try !entries(of: ConfigKey.directories).isEmpty else { return nil }
    let place = place()
    var nearest: (levels: Int, entry: DirectoryEntry)?
    let entries = try directories(home: place.home)
    for path in place.paths {
      for entry in entries {
        guard let levels = entry.folder.levels(above: path) else { continue }
        if levels < nearest?.levels ?? .max { nearest = (levels, entry) }
      }
    }
    return nearest?.entry
  }

  /// Returns the names of the workspaces that have settings of their own, in the order of the file.
  ///
  /// - Throws: If the member is not an object.
  func workspacesWithSettings() throws(FileError) -> [String] {
    try entries(of: ConfigKey.workspaces).compactMap { name, value in
      Self.isEmpty(value) ? nil : name
    }
  }

  /// Whether a value is an object without settings, as is left after the last one is removed.
  private static func isEmpty(_ value: JSONValue) -> Bool {
    value.object?.allSatisfy { $0.value.object?.isEmpty == true } == true
  }

  /// The members of an object with user-defined names; empty if it is missing.
  private func entries(of name: String) throws(FileError) -> [JSONObject.Element] {
    switch json[name] {
    case .null: return []
    case .object(let members): return members.filter { $0.value != .null }
    case let value: throw wrongType(value, at: [name], expected: "an object")
    }
  }

  /// An error about the value under a name; `reason` follows the name in the message.
  func unusable(_ name: String, _ reason: String) -> FileError {
    .unusableSetting(path: path, name: name, reason: reason)
  }
}
