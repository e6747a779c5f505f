// SPDX-License-Identifier: MIT

package import OppiModel

extension ConfigFile.Settings {
  /// An entry of `directories`: the workspace that is meant in a folder and in those below it.
  package struct DirectoryEntry: Sendable {
    package let key: ConfigKey
    package let folder: FolderPath
    package let workspace: String
  }

  /// Returns the entries of `directories` in the order of the file.
  ///
  /// - Parameter home: What `~` stands for.
  /// - Returns: Those that name a workspace; each folder once.
  /// - Throws: Where a name is no absolute path and none below `~`, two names are of one folder, or
  ///   a value is no text.
  package func directories(home: @autoclosure () -> String) throws(FileError) -> [DirectoryEntry] {
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

  /// Returns the entry of the nearest folder at or above the working directory, by whichever of its
  /// paths that is nearer; `nil` where there is none.
  ///
  /// - Throws: What ``directories(home:)`` throws.
  package func directory(
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
  /// - Throws: Where something else stands in the place of these.
  package func workspacesWithSettings() throws(FileError) -> [String] {
    try entries(of: ConfigKey.workspaces).compactMap { name, value in
      value.object?.isEmpty == true ? nil : name
    }
  }

  /// The members of an object whose names the user has chosen; none where it is missing.
  private func entries(of name: String) throws(FileError) -> [JSONObject.Element] {
    switch json[name] {
    case .null: return []
    case .object(let members): return members.filter { $0.value != .null }
    case let value: throw wrongType(value, at: [name], expected: "an object")
    }
  }

  /// What is wrong with what stands under a name, in words that follow it.
  package func unusable(_ name: String, _ reason: String) -> FileError {
    .unusableSetting(path: path, name: name, reason: reason)
  }
}
