// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import Synchronization

final class ProgramFile: OpenFile {
  private let file: Int
  private let handle: Int
  private let isReadOnly: Bool
  private let owner: ProgramDisk
  /// What is read instead of the content, if anything.
  private let misreading: VirtualDisk.Misreading?
  private let position = Mutex(0)

  init(
    _ file: Int,
    _ handle: Int,
    for access: FileAccess,
    of owner: ProgramDisk,
    readAs misreading: VirtualDisk.Misreading? = nil
  ) {
    self.file = file
    self.handle = handle
    if case .reading = access { isReadOnly = true } else { isReadOnly = false }
    self.owner = owner
    self.misreading = misreading
  }

  deinit {
    owner.disk.close(handle, of: file)
  }

  func status() throws(SystemError) -> FileStatus {
    let contents = owner.disk.state.withLock { $0.files[file] }
    guard let contents else { throw SystemError("fstat", code: EBADF) }
    var size = contents.bytes.count
    if case .content(let bytes) = misreading { size = bytes.count }
    return FileStatus(isOwn: true, mode: contents.mode, size: size)
  }

  func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    try owner.enter("read", isWrite: false)
    let start = position.withLock { $0 }
    let part = try Array(content().dropFirst(start).prefix(count))
    position.withLock { $0 += part.count }
    return part
  }

  func read(atMost count: Int, from offset: Int) throws(SystemError) -> [UInt8] {
    try owner.enter("pread", isWrite: false)
    return try Array(content().dropFirst(offset).prefix(count))
  }

  /// The content as the program reads it.
  private func content() throws(SystemError) -> [UInt8] {
    switch misreading {
    case .failure(let error): throw error
    case .content(let bytes): bytes
    case nil: owner.disk.state.withLock { $0.files[file]?.bytes ?? [] }
    }
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    guard !isReadOnly else { throw SystemError("write", code: EBADF) }
    // A full disk or a killed program may leave a partial write.
    let half = bytes.count / 2
    append(Array(bytes[..<half]))
    try owner.enter("write", isWrite: true)
    append(Array(bytes[half...]))
  }

  private func append(_ bytes: [UInt8]) {
    guard owner.life.isAlive else { return }
    owner.disk.state.withLock { $0.files[file]?.bytes += bytes }
  }

  func writeThrough() throws(SystemError) {
    try owner.enter("fsync", isWrite: true)
    owner.disk.state.withLock { state in
      let bytes = state.files[file]?.bytes
      state.files[file]?.durable = bytes
    }
  }

  func isStill(at path: String) -> Bool {
    owner.disk.state.withLock { $0.names[path] == file }
  }

  func tryLock() throws(SystemError) -> Bool {
    try owner.enter("flock", isWrite: false)
    return owner.disk.state.withLock { state in
      guard let holder = state.files[file]?.holder, holder != handle else {
        state.files[file]?.holder = handle
        return true
      }
      return false
    }
  }
}
