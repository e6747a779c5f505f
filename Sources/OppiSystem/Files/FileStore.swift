// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Reads and replaces whole files, so that a reader or a crash never meets half of one.
package struct FileStore: Sendable {
  /// What others may do with a file that is read.
  package enum Privacy: Sendable {
    /// Anything: it is only compared, and nothing in it believed.
    case untrusted
    /// Nobody else may change it.
    case trusted
    /// Nobody else may read or change it.
    case secret

    func allows(_ mode: UInt32) -> Bool {
      switch self {
      case .untrusted: true
      case .trusted: mode & 0o022 == 0
      case .secret: mode & 0o077 == 0
      }
    }

    /// What `chmod` is to be told.
    var neededMode: String { self == .secret ? "600" : "go-w" }
  }

  /// What a crash of the machine may do to a file that has just been replaced.
  package enum Durability: Sendable {
    /// Nothing: it is on the disk.
    case writtenThrough
    /// It may be as it was before, or gone: what can be learned again is not worth the wait.
    case passing
  }

  /// No file that this program writes is longer, but the list of workspaces.
  package static let sizeLimit = 4 << 20
  static let chunkSize = 65_536

  package let loop: EventLoop
  let disk: any Disk
  /// What tells this process's files from those of others.
  let process: ProcessIdentity

  package init(
    loop: EventLoop,
    disk: any Disk = SystemDisk(),
    process: ProcessIdentity = .current
  ) {
    self.loop = loop
    self.disk = disk
    self.process = process
  }

  /// Returns the bytes of a file, `nil` where there is none.
  ///
  /// - Throws: Where it cannot be read, is longer than the limit, or others could have written it.
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

  /// Opens a file; `nil` where there is none.
  ///
  /// - Throws: Where it cannot be read, or others could have written it.
  func openToRead(
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

  /// Throws where others could read what must be secret, or change a file or its folder.
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

  /// Throws where others could put another file in the place of one in a folder.
  func checkFolder(_ path: String) throws(FileError) {
    let status: FileStatus
    do {
      status = try disk.status(ofFolder: path)
    } catch {
      throw .cannotRead(path: path, error)
    }
    guard status.isOwn else { throw .foreign(path: path) }
    // In a folder such as /tmp nobody can touch the files of others.
    let isSticky = status.mode & 0o1000 != 0
    guard isSticky || Privacy.trusted.allows(status.mode) else {
      throw .unsafeFolder(path: path, mode: status.mode)
    }
  }

  /// Makes a folder and those above it.
  package func makeFolder(
    _ path: String,
    for readers: Readers = .owner
  ) throws(FileError) {
    do {
      try disk.makeFolder(path, for: readers)
    } catch  where error.code == EEXIST {
    } catch  where error.code == ENOENT && path != "/" {
      try makeFolder(Self.parent(of: path), for: readers)
      // Somebody else may have been as quick.
      do throws(SystemError) {
        try disk.makeFolder(path, for: readers)
      } catch {
        guard error.code == EEXIST else { throw .cannotCreate(path: path, error) }
      }
    } catch {
      throw .cannotCreate(path: path, error)
    }
  }

  /// The folders at a path and above it that are not there, the outermost first.
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

  /// Whether the last part of a path is a symbolic link.
  package func isLink(_ path: String) -> Bool {
    let target = disk.target(of: path)
    return target != path
      && target != "\(disk.target(of: Self.parent(of: path)))/\(Self.name(of: path))"
  }

  /// Removes a folder where it is there and empty; returns whether it is gone.
  @discardableResult
  package func removeIfEmpty(folder path: String) -> Bool {
    do {
      try disk.removeFolder(path)
    } catch {
      return error.isAbsence
    }
    return true
  }

  /// Returns the names of what is in a folder, in no order; none where there is no such folder.
  package func names(in folder: String) throws(FileError) -> [String] {
    do {
      return try disk.names(in: folder)
    } catch {
      guard error.isAbsence else { throw .cannotRead(path: folder, error) }
      return []
    }
  }

  /// Removes a file, also where it is gone already.
  package func remove(_ path: String) throws(FileError) {
    do throws(SystemError) {
      try disk.remove(path)
    } catch {
      guard error.isAbsence else { throw .cannotWrite(path: path, error) }
      return
    }
    disk.writeThrough(folder: Self.parent(of: path))
  }

  /// Moves a file that cannot be read out of the way, keeping it; returns where it is now.
  package func keepAside(_ path: String) throws(FileError) -> String {
    let aside = Self.asidePath(of: path)
    do {
      try disk.rename(path, to: aside)
    } catch {
      throw .cannotWrite(path: aside, error)
    }
    return aside
  }

  /// Keeps a copy of a file of which only a part can be read; returns where the copy is.
  func keepCopy(_ path: String, limit: Int) throws(FileError) -> String {
    let aside = Self.asidePath(of: path)
    try replace(aside, with: try read(path, limit: limit) ?? [])
    return aside
  }

  /// Where a file is kept that makes no sense.
  static func asidePath(of path: String) -> String { path + ".corrupt" }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }
}

extension SystemError {
  /// Whether there is no such file.
  var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}
