// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

extension FileStore {
  /// Replaces a file atomically: writes a new file next to it (mode 0600 unless `readers` allows
  /// others) and renames it.
  ///
  /// Creates missing folders (mode 0700) and follows a symbolic link, except for `passing` data.
  package func replace(
    _ path: String,
    with bytes: [UInt8],
    _ durability: Durability = .writtenThrough,
    readers: Readers = .owner
  ) throws(FileError) {
    let target = durability == .passing ? path : disk.target(of: path)
    let temporary = try fill(beside: target, with: bytes, durability, readers, for: path)
    do {
      try disk.rename(temporary.path, to: target)
    } catch {
      try? disk.remove(temporary.path)
      throw .cannotWrite(path: path, error)
    }
    withExtendedLifetime(temporary.file) {}
    if durability == .writtenThrough { disk.writeThrough(folder: Self.parent(of: target)) }
  }

  /// Writes a new file, which only this user may read; throws if there is one of this name.
  package func create(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let file: any OpenFile
    do {
      file = try disk.open(path, for: .creating(for: .owner))
    } catch {
      throw .cannotCreate(path: path, error)
    }
    do {
      try file.write(bytes)
    } catch {
      try? disk.remove(path)
      throw .cannotWrite(path: path, error)
    }
  }

  /// Throws if ``replace(_:with:_:readers:)`` would: does everything except the renaming.
  package func checkReplacing(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let target = disk.target(of: path)
    let temporary = try fill(beside: target, with: bytes, .writtenThrough, .owner, for: path)
    try? disk.remove(temporary.path)
  }

  /// Throws if no file of some bytes could be written to a folder, or to its nearest parent if it is
  /// missing; changes nothing.
  package func checkWritable(folder: String, _ size: Int) throws(FileError) {
    let nearest = missingFolders(for: folder).first.map(Self.parent) ?? folder
    let temporary: TemporaryFile
    do {
      temporary = try makeTemporaryFile("\(nearest)/.oppi.", for: .owner)
    } catch {
      throw .cannotCreate(path: folder, error)
    }
    defer { try? disk.remove(temporary.path) }
    do {
      try temporary.file.write([UInt8](repeating: 0, count: size))
    } catch {
      throw .cannotWrite(path: folder, error)
    }
  }

  /// A temporary file, which stays locked while it is open.
  private typealias TemporaryFile = (path: String, file: any OpenFile)

  /// Writes a new file with an unpredictable name.
  private func fill(
    beside target: String,
    with bytes: [UInt8],
    _ durability: Durability,
    _ readers: Readers,
    for path: String
  ) throws(FileError) -> TemporaryFile {
    let folder = Self.parent(of: target)
    try makeFolder(folder)
    try checkFolder(folder)
    removeLeftovers(of: target)
    let (temporary, file): TemporaryFile
    do {
      (temporary, file) = try makeTemporaryFile(
        "\(folder)/\(Self.temporaryPrefix(of: target))",
        for: readers
      )
    } catch {
      throw .cannotCreate(path: path, error)
    }
    do throws(SystemError) {
      try file.write(bytes)
      if durability == .writtenThrough { try file.writeThrough() }
    } catch {
      try? disk.remove(temporary)
      throw .cannotWrite(path: path, error)
    }
    return (temporary, file)
  }

  /// Creates a file that is locked until it is closed, so that no other process removes it as a
  /// leftover, even one that does not see this process.
  private func makeTemporaryFile(
    _ prefix: String,
    for readers: Readers
  ) throws(SystemError) -> TemporaryFile {
    var random = loop.random
    while true {
      let number = UInt32.random(in: 0 ... .max, using: &random)
      let path = "\(prefix)\(process.id).\(number)"
      let file = try disk.open(path, for: .creating(for: readers))
      // Another process may have found it before it was locked, and removed it.
      if isLocked(by: file), file.isStill(at: path) { return (path, file) }
    }
  }

  /// Locks a file if possible; true also on a file system without locks.
  private func isLocked(by file: any OpenFile) -> Bool {
    do {
      return try file.tryLock()
    } catch {
      return true
    }
  }

  /// Opens a file and locks it until it is closed; `nil` if there is none, or another process holds
  /// its lock.
  package func hold(_ path: String) throws(FileError) -> (any OpenFile)? {
    do {
      let file = try disk.open(path, for: .reading)
      return isLocked(by: file) ? file : nil
    } catch {
      if error.isAbsence { return nil }
      throw .cannotRead(path: path, error)
    }
  }

  private static func temporaryPrefix(of target: String) -> String { ".\(name(of: target))." }

  /// Removes temporary files of writers that were killed before they could rename them: those of
  /// processes that are not running here, unless another process holds the file's lock.
  ///
  /// With a home that containers share, the process may run out of sight.
  package func removeLeftovers(of target: String) {
    removeLeftovers(in: Self.parent(of: target), prefix: Self.temporaryPrefix(of: target))
  }

  /// Removes temporary files of killed writers for all files of a folder.
  package func removeLeftovers(in folder: String) { removeLeftovers(in: folder, prefix: ".") }

  private func removeLeftovers(in folder: String, prefix: String) {
    for name in (try? disk.names(in: folder)) ?? [] where name.hasPrefix(prefix) {
      let numbers = name.dropFirst(prefix.count).split(separator: ".").suffix(2)
      guard let first = numbers.first, let last = numbers.last, numbers.count == 2,
        UInt32(last) != nil, let writer = Int32(first), !process.isAlive(writer)
      else { continue }
      let path = "\(folder)/\(name)"
      guard let file = try? disk.open(path, for: .locking), isLocked(by: file) else { continue }
      try? disk.remove(path)
      withExtendedLifetime(file) {}
    }
  }
}

extension FileStore {
  /// A locked file of lines.
  package struct LogFile {
    let path: String
    fileprivate let file: any OpenFile
    /// In bytes.
    package private(set) var size: Int

    /// Appends a line; first ends a partial line left by a writer that was killed.
    package mutating func append(line: [UInt8]) throws(FileError) {
      let lineFeed = UInt8(ascii: "\n")
      do throws(SystemError) {
        let end = try size > 0 ? file.read(atMost: 1, from: size - 1) : [lineFeed]
        let isTorn = end != [lineFeed]
        let bytes = (isTorn ? [lineFeed] : []) + line + [lineFeed]
        try file.write(bytes)
        size += bytes.count
      } catch {
        throw .cannotWrite(path: path, error)
      }
    }
  }

  /// Runs the body while no other process of this user writes to a file of lines; creates a missing
  /// file.
  ///
  /// The file is its own lock: if it is replaced while a writer waits, the writer opens the new
  /// one.
  ///
  /// - Throws: `.lockHeld` if another process holds the lock for longer than ``lockTimeout``.
  package func withLog<Result>(
    at path: String,
    _ body: (inout LogFile) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    let deadline = loop.now + Self.lockTimeout
    var path = path
    while true {
      guard let file = try openLog(path) else {
        path = disk.target(of: path)
        continue
      }
      try await take(file, at: path, until: deadline)
      guard file.isStill(at: path) else { continue }
      var log = LogFile(path: path, file: file, size: try checked(file, at: path).size)
      return try body(&log)
    }
  }

  /// Opens a file of lines; `nil` if the path is a symbolic link to another file.
  private func openLog(_ path: String) throws(FileError) -> (any OpenFile)? {
    for isFolderMade in [false, true] {
      do throws(SystemError) {
        return try disk.open(path, for: .appending)
      } catch {
        if error.code == ELOOP, disk.target(of: path) != path { return nil }
        guard error.code == ENOENT, !isFolderMade else {
          throw .cannotCreate(path: path, error)
        }
      }
      try makeFolder(Self.parent(of: path))
    }
    return nil
  }

  /// Reads lines from the end of a file until one has a meaning; `nil` if none has.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The maximum size of the file in bytes.
  ///   - meaning: Returns the meaning of a line; `nil` to continue.
  /// - Returns: The meaning of the line.
  /// - Throws: `FileError` if the file exists and cannot be read.
  package func lastLine<Meaning>(
    of path: String,
    limit: Int,
    _ meaning: ([UInt8]) -> Meaning?
  ) throws(FileError) -> Meaning? {
    guard let (file, status) = try openToRead(path, privacy: .trusted) else { return nil }
    guard status.size <= limit else { throw .tooLarge(path: path, limit: limit) }
    var (end, rest) = (status.size, [UInt8]())
    while end > 0 {
      let start = max(0, end - Self.chunkSize)
      let chunk: [UInt8]
      do throws(SystemError) {
        chunk = try file.read(atMost: end - start, from: start)
      } catch {
        throw .cannotRead(path: path, error)
      }
      guard chunk.count == end - start else {
        // The file has become shorter: what was behind its end is no longer a part of it.
        (end, rest) = (start + chunk.count, [])
        continue
      }
      var lines = (chunk + rest).split(
        separator: UInt8(ascii: "\n"),
        omittingEmptySubsequences: false
      )
      // The first line may start before this chunk.
      rest = start > 0 ? Array(lines.removeFirst()) : []
      for line in lines.reversed() {
        if let found = meaning(Array(line)) { return found }
      }
      end = start
    }
    return nil
  }
}
