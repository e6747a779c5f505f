// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Reads and replaces whole files, so that a reader or a crash never meets half of one.
package struct FileStore: Sendable {
  /// What others may do with a file that is read.
  package enum Privacy: Sendable {
    /// Nobody else may change it.
    case trusted
    /// Nobody else may read or change it.
    case secret

    func allows(_ status: FileStatus) -> Bool {
      status.isOwn && status.mode & (self == .secret ? 0o077 : 0o022) == 0
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

  /// No file of the user's is longer.
  static let sizeLimit = 64 << 20
  private static let chunkSize = 65_536

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
  package func read(
    _ path: String,
    privacy: Privacy = .trusted
  ) throws(FileError) -> [UInt8]? {
    var bytes: [UInt8] = []
    do {
      let file = try disk.open(path, for: .reading)
      let status = try file.status()
      guard privacy.allows(status) else {
        throw FileError.unsafeMode(path: path, mode: status.mode, needed: privacy.neededMode)
      }
      while bytes.count <= Self.sizeLimit {
        let chunk = try file.read(atMost: Self.chunkSize)
        if chunk.isEmpty { return bytes }
        bytes += chunk
      }
    } catch let error as FileError {
      throw error
    } catch let error as SystemError where error.isAbsence {
      return nil
    } catch {
      throw .cannotRead(path: path, error as? SystemError ?? SystemError("read"))
    }
    throw .tooLarge(path: path, limit: Self.sizeLimit)
  }

  /// Replaces a file as a whole: a new one beside it (mode 0600) is filled and then renamed over it.
  ///
  /// Folders that are missing are made (mode 0700); a symbolic link is followed.
  package func replace(
    _ path: String,
    with bytes: [UInt8],
    _ durability: Durability = .writtenThrough
  ) throws(FileError) {
    let target = disk.target(of: path)
    let folder = Self.parent(of: target)
    try makeFolder(folder)
    var random = loop.random
    let number = UInt32.random(in: 0 ... .max, using: &random)
    let temporary = "\(folder)/.\(Self.name(of: target)).\(process.id).\(number)"
    let file: any OpenFile
    do {
      file = try disk.open(temporary, for: .creating)
    } catch {
      throw .cannotCreate(path: path, error)
    }
    do throws(SystemError) {
      try file.write(bytes)
      if durability == .writtenThrough { try file.writeThrough() }
      try disk.rename(temporary, to: target)
    } catch {
      try? disk.remove(temporary)
      throw .cannotWrite(path: path, error)
    }
    if durability == .writtenThrough { disk.writeThrough(folder: folder) }
  }

  /// Makes a folder and those above it, for this user alone.
  package func makeFolder(_ path: String) throws(FileError) {
    do {
      try disk.makeFolder(path)
    } catch  where error.code == EEXIST {
    } catch  where error.code == ENOENT && path != "/" {
      try makeFolder(Self.parent(of: path))
      // Somebody else may have been as quick.
      do throws(SystemError) {
        try disk.makeFolder(path)
      } catch {
        guard error.code == EEXIST else { throw .cannotCreate(path: path, error) }
      }
    } catch {
      throw .cannotCreate(path: path, error)
    }
  }

  /// Moves a file that cannot be read out of the way, keeping it; returns where it is now.
  package func keepAside(_ path: String) throws(FileError) -> String {
    let aside = path + ".corrupt"
    do {
      try disk.rename(path, to: aside)
    } catch {
      throw .cannotWrite(path: aside, error)
    }
    return aside
  }

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
