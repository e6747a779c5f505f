// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiText

/// Reads and replaces whole files, so that no reader and no crash ever sees a partial file.
package struct FileStore: Sendable {
  /// The required permissions of a file that is read.
  package enum Privacy: Sendable {
    /// Any: the content is only compared and not trusted.
    case untrusted
    /// No other user may change it.
    case trusted
    /// No other user may read or change it.
    case secret

    func allows(_ mode: UInt32) -> Bool {
      switch self {
      case .untrusted: true
      case .trusted: mode & 0o022 == 0
      case .secret: mode & 0o077 == 0
      }
    }

    var neededMode: String { self == .secret ? "600" : "go-w" }
  }

  /// Whether a replaced file survives a crash of the machine.
  package enum Durability: Sendable {
    /// The file is flushed to the disk.
    case writtenThrough
    /// The file may be lost or keep its previous content: for data that can be fetched again, which
    /// users do not edit. A symbolic link in its place is replaced.
    case passing
  }

  /// In bytes; larger than any file that this program writes, except the list of workspaces.
  package static let sizeLimit = 4 << 20
  static let chunkSize = 65_536

  package let loop: EventLoop
  package let disk: any Disk
  /// Distinguishes this process's temporary files from those of others.
  package let process: ProcessIdentity
  /// The files that could not be used.
  package let faults = FileFaults()

  package init(
    loop: EventLoop,
    disk: any Disk = SystemDisk(),
    process: ProcessIdentity = .current
  ) {
    self.loop = loop
    self.disk = disk
    self.process = process
  }

  /// Returns the bytes of a file, `nil` if it does not exist.
  ///
  /// - Throws: If the file cannot be read, is longer than the limit, or others could have written
  ///   it.
  package func read(
    _ path: String,
    privacy: Privacy = .trusted,
    limit: Int = sizeLimit
  ) throws(FileError) -> [UInt8]? {
    guard let (file, status) = try openToRead(path, privacy: privacy) else { return nil }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      while bytes.count <= limit, status.size <= limit {
        let chunk = try file.read(atMost: Self.chunkSize)
        if chunk.isEmpty { return bytes }
        bytes += chunk
      }
    } catch {
      throw .cannotRead(path: path, error)
    }
    throw .tooLarge(path: path, limit: limit)
  }

  /// Opens a file; `nil` if it does not exist.
  ///
  /// - Throws: If the file cannot be read, or others could have written it.
  package func openToRead(
    _ path: String,
    privacy: Privacy
  ) throws(FileError) -> (file: any OpenFile, status: FileStatus)? {
    let file: any OpenFile
    do {
      file = try disk.open(path, for: .reading)
    } catch {
      guard error.isAbsence else { throw .cannotRead(path: path, error) }
      return nil
    }
    return (file, try checked(file, at: path, privacy: privacy))
  }

  /// Throws if others could read a secret file, or change the file or its folder.
  func checked(
    _ file: any OpenFile,
    at path: String,
    privacy: Privacy = .trusted
  ) throws(FileError) -> FileStatus {
    let status: FileStatus
    do {
      status = try file.status()
    } catch {
      throw .cannotRead(path: path, error)
    }
    guard status.isOwn else { throw .foreign(path: path) }
    guard privacy.allows(status.mode) else {
      throw .unsafeMode(path: path, mode: status.mode, needed: privacy.neededMode)
    }
    try checkFolder(Self.parent(of: path))
    return status
  }

  /// Throws if others could replace a file in the folder.
  func checkFolder(_ path: String) throws(FileError) {
    let status: FileStatus
    do {
      status = try disk.status(ofFolder: path)
    } catch {
      throw .cannotRead(path: path, error)
    }
    guard status.isOwn else { throw .foreign(path: path) }
    // In a folder such as /tmp, users cannot replace the files of others.
    let isSticky = status.mode & 0o1000 != 0
    guard isSticky || Privacy.trusted.allows(status.mode) else {
      throw .unsafeFolder(path: path, mode: status.mode)
    }
  }

  /// Creates a folder and its missing parents.
  package func makeFolder(
    _ path: String,
    for readers: Readers = .owner
  ) throws(FileError) {
    do {
      try disk.makeFolder(path, for: readers)
    } catch  where error.code == EEXIST {
    } catch  where error.code == ENOENT && path != "/" {
      try makeFolder(Self.parent(of: path), for: readers)
      // Another process may have created it meanwhile.
      do throws(SystemError) {
        try disk.makeFolder(path, for: readers)
      } catch {
        guard error.code == EEXIST else { throw .cannotCreate(path: path, error) }
      }
    } catch {
      throw .cannotCreate(path: path, error)
    }
  }

  /// The missing folders of a path, the outermost first.
  package func missingFolders(for path: String) -> [String] {
    var missing: [String] = []
    var path = path
    while path != "/", path != "." {
      do throws(SystemError) {
        _ = try disk.status(ofFolder: path)
        break
      } catch {
        guard error.isAbsence else { break }
      }
      missing.append(path)
      path = Self.parent(of: path)
    }
    return missing.reversed()
  }

  /// Whether the last component of a path is a symbolic link.
  package func isLink(_ path: String) -> Bool {
    let target = disk.target(of: path)
    return target != path
      && target != "\(disk.target(of: Self.parent(of: path)))/\(Self.name(of: path))"
  }

  /// Removes a folder if it is empty; returns whether it is gone.
  @discardableResult
  package func removeIfEmpty(folder path: String) -> Bool {
    do {
      try disk.removeFolder(path)
    } catch {
      return error.isAbsence
    }
    return true
  }

  /// Returns the names in a folder, unsorted; none if the folder does not exist.
  package func names(in folder: String) throws(FileError) -> [String] {
    do {
      return try disk.names(in: folder)
    } catch {
      guard error.isAbsence else { throw .cannotRead(path: folder, error) }
      return []
    }
  }

  /// Returns the names of the JSON files in a folder without `.json`, sorted; none if the folder
  /// does not exist.
  package func jsonNames(in folder: String) throws(FileError) -> [String] {
    try names(in: folder)
      .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".json".count)) }
      .sorted()
  }

  /// Removes a file; succeeds if it is already gone.
  package func remove(_ path: String) throws(FileError) {
    do throws(SystemError) {
      try disk.remove(path)
    } catch {
      guard error.isAbsence else { throw .cannotWrite(path: path, error) }
      return
    }
    disk.writeThrough(folder: Self.parent(of: path))
  }

  /// Renames an unreadable file to keep it; returns its new path.
  package func keepAside(_ path: String) throws(FileError) -> String {
    let aside = Self.asidePath(of: path)
    do {
      try disk.rename(path, to: aside)
    } catch {
      throw .cannotWrite(path: aside, error)
    }
    return aside
  }

  /// Copies a file that is only partly readable to keep it; returns the copy's path.
  package func keepCopy(_ path: String, limit: Int) throws(FileError) -> String {
    let aside = Self.asidePath(of: path)
    try replace(aside, with: try read(path, limit: limit) ?? [])
    return aside
  }

  package static func asidePath(of path: String) -> String { path + ".corrupt" }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }
}

extension SystemError {
  /// Whether the file does not exist.
  package var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

package enum FileError: Error, Equatable {
  case cannotRead(path: String, SystemError)
  case cannotWrite(path: String, SystemError)
  case cannotCreate(path: String, SystemError)
  /// Others could read a secret file or change a trusted one.
  case unsafeMode(path: String, mode: UInt32, needed: String)
  /// The file belongs to another user, who could change it at any time.
  case foreign(path: String)
  /// Others could replace the files in the folder.
  case unsafeFolder(path: String, mode: UInt32)
  case corrupt(path: String, JSONError)
  /// It is valid JSON, but not what this program writes there.
  case unusable(path: String, reason: String)
  /// A later version of this program wrote it in an unknown format.
  case newerVersion(path: String, version: Int)
  /// `name` is the path of members, and `setting` the setting's name on the command line, if any.
  case wrongType(path: String, name: String, setting: String?, found: String, expected: String)
  case unusableSetting(path: String, name: String, reason: String)
  case lockHeld(path: String)
  case tooLarge(path: String, limit: Int)

  /// Whether the content is not what this program writes, so that the file could be set aside.
  package var isDamage: Bool {
    switch self {
    case .corrupt, .unusable, .wrongType, .tooLarge: true
    default: false
    }
  }

  /// Whether a file of this user with data that can be fetched again could be replaced.
  var isReplaceable: Bool {
    if case .unsafeMode = self { true } else { isDamage }
  }
}
