// SPDX-License-Identifier: MIT

import Glibc
import OppiTransport

/// Reads and replaces whole files, so that a reader or a crash never meets half of one.
package enum FileStore {
  /// What others may do with a file that is read.
  package enum Privacy: Sendable {
    /// Nobody else may change it.
    case trusted
    /// Nobody else may read or change it.
    case secret
  }

  /// No file of the user's is longer.
  static let sizeLimit = 64 << 20

  /// The system itself follows no longer chain of links.
  private static let linkLimit = 40

  /// Returns the bytes of a file, `nil` where there is none.
  package static func read(
    _ path: String,
    privacy: Privacy = .trusted
  ) throws(FileError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .cannotRead(path: path, SystemError("open"))
    }
    defer { close(descriptor) }
    try check(privacy, of: descriptor, at: path)
    return try bytes(from: descriptor, limit: sizeLimit, path: path)
  }

  /// Reads a descriptor to its end.
  package static func bytes(
    from descriptor: Int32,
    limit: Int,
    path: String
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .cannotRead(path: path, SystemError("read"))
      }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .tooLarge(path: path, limit: limit) }
    }
  }

  private static func check(
    _ privacy: Privacy,
    of descriptor: Int32,
    at path: String
  ) throws(FileError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .cannotRead(path: path, SystemError("fstat"))
    }
    let isForeign = status.st_uid != geteuid() && status.st_uid != 0
    let forbidden: UInt32 = privacy == .secret ? 0o077 : 0o022
    guard !isForeign, status.st_mode & forbidden == 0 else {
      throw .unsafeMode(
        path: path,
        mode: status.st_mode & 0o7777,
        needed: privacy == .secret ? "600" : "go-w"
      )
    }
  }

  /// Replaces a file as a whole: a new one beside it (mode 0600), written through to the disk, then
  /// renamed over it.
  ///
  /// Folders that are missing are made (mode 0700); a symbolic link is followed.
  package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let target = resolved(path)
    let folder = parent(of: target)
    try makeFolder(folder)
    let temporary = "\(folder)/.\(name(of: target)).\(getpid()).\(UInt32.random(in: 0 ... .max))"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = open(temporary, flags, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, SystemError("open")) }
    // The mode of `open` is cut by the umask.
    fchmod(descriptor, 0o600)
    do {
      try fill(descriptor, with: bytes)
      guard rename(temporary, target) == 0 else { throw SystemError("rename") }
    } catch {
      unlink(temporary)
      throw .cannotWrite(path: path, error as? SystemError ?? SystemError("write"))
    }
    synchronize(folder)
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(SystemError) {
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        Glibc.write(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError("write")
      }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
  }

  /// A folder that cannot be synchronised (some network file systems) still holds the new file.
  private static func synchronize(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Makes a folder and those above it, for this user alone.
  package static func makeFolder(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/" else {
      throw .cannotCreate(path: path, SystemError("mkdir"))
    }
    try makeFolder(parent(of: path))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .cannotCreate(path: path, SystemError("mkdir"))
    }
  }

  /// Moves a file that cannot be read out of the way, keeping it; returns where it is now.
  package static func keepAside(_ path: String) throws(FileError) -> String {
    let aside = path + ".corrupt"
    guard rename(path, aside) == 0 else {
      throw .cannotWrite(path: aside, SystemError("rename"))
    }
    return aside
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// The file at the end of a path's links, also where it is not there yet.
  private static func resolved(_ path: String) -> String {
    var path = path
    for _ in 0..<linkLimit {
      if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink(path, &bytes, bytes.count)
      guard length > 0 else { return path }
      let target = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = target.hasPrefix("/") ? target : "\(parent(of: path))/\(target)"
    }
    return path
  }
}
