// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// Replaces a file atomically: writes a new file next to it (mode 0600 unless `readers` allows
  /// others) and renames it.
  ///
  /// Creates missing folders (mode 0700) and follows a symbolic link.
  package func replace(
    _ path: String,
    with bytes: [UInt8],
    _ durability: Durability = .writtenThrough,
    readers: Readers = .owner
  ) throws(FileError) {
    let target = disk.target(of: path)
    let temporary = try fill(beside: target, with: bytes, durability, readers, for: path)
    do {
      try disk.rename(temporary, to: target)
    } catch {
      try? disk.remove(temporary)
      throw .cannotWrite(path: path, error)
    }
    if durability == .writtenThrough { disk.writeThrough(folder: Self.parent(of: target)) }
  }

  /// Throws if ``replace(_:with:_:readers:)`` would: does everything except the renaming.
  package func checkReplacing(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let target = disk.target(of: path)
    let temporary = try fill(beside: target, with: bytes, .writtenThrough, .owner, for: path)
    try? disk.remove(temporary)
  }

  /// Writes a new file with an unpredictable name and returns its path.
  private func fill(
    beside target: String,
    with bytes: [UInt8],
    _ durability: Durability,
    _ readers: Readers,
    for path: String
  ) throws(FileError) -> String {
    let folder = Self.parent(of: target)
    try makeFolder(folder)
    try checkFolder(folder)
    removeLeftovers(of: target)
    var random = loop.random
    let number = UInt32.random(in: 0 ... .max, using: &random)
    let temporary = "\(folder)/\(Self.temporaryPrefix(of: target))\(process.id).\(number)"
    let file: any OpenFile
    do {
      file = try disk.open(temporary, for: .creating(for: readers))
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
    return temporary
  }

  private static func temporaryPrefix(of target: String) -> String { ".\(name(of: target))." }

  /// Removes temporary files of writers that were killed before they could rename them.
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
      try? disk.remove("\(folder)/\(name)")
    }
  }
}
