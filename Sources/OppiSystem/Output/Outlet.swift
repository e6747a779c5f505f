// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// Writes to a descriptor of any type without blocking.
struct Outlet: Sendable {
  private enum Kind {
    /// A file or a device, which accepts all bytes at once.
    case file
    /// This program's own non-blocking open file.
    case reopened
    case socket
    /// A blocking pipe or terminal that other processes share.
    case shared
  }

  let descriptor: Int32
  private let kind: Kind

  /// Determines the type of a descriptor.
  ///
  /// A pipe or a terminal is reopened if permitted: only this gives non-blocking writes without
  /// changing the flags of the open file that other processes share.
  init(_ descriptor: Int32, reopens: Bool = true) {
    let kind = Self.kind(of: descriptor)
    if reopens, kind == .shared, let own = Self.reopen(descriptor) {
      (self.descriptor, self.kind) = (own, .reopened)
    } else {
      (self.descriptor, self.kind) = (descriptor, kind)
    }
  }

  private static func kind(of descriptor: Int32) -> Kind {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .file }
    return switch status.st_mode & S_IFMT {
    case S_IFIFO: .shared
    case S_IFSOCK: .socket
    case S_IFCHR where isatty(descriptor) == 1: .shared
    default: .file
    }
  }

  private static func reopen(_ descriptor: Int32) -> Int32? {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let own = open("/proc/self/fd/\(descriptor)", flags)
    return own < 0 ? nil : own
  }

  func close() {
    if kind == .reopened { Glibc.close(descriptor) }
  }

  /// Writes as much as fits, removes it from the bytes, and returns whether all was written.
  func write(_ bytes: inout ArraySlice<UInt8>) throws(OutputStream.Failure) -> Bool {
    while !bytes.isEmpty {
      let count = writeSome(bytes)
      if count >= 0 {
        bytes = bytes.dropFirst(count)
        continue
      }
      switch errno {
      case EAGAIN: return false
      case EINTR: continue
      case EPIPE: throw .readerGone
      default: throw .failed(SystemError("write"))
      }
    }
    return true
  }

  private func writeSome(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { raw in
      switch kind {
      case .file, .reopened: return Glibc.write(descriptor, raw.baseAddress, raw.count)
      case .socket:
        return send(descriptor, raw.baseAddress, raw.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      case .shared:
        guard waitForRoom(limit: .zero) else {
          errno = EAGAIN
          return -1
        }
        // A write of this size does not block (pipe(7)).
        return Glibc.write(descriptor, raw.baseAddress, min(raw.count, Int(PIPE_BUF)))
      }
    }
  }

  /// Blocks until there is room or an error for the next write; returns false after the time limit.
  func waitForRoom(limit: Duration?) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let timeout = limit.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1
    while true {
      let count = poll(&entry, 1, timeout)
      if count >= 0 || errno != EINTR { return count != 0 }
    }
  }
}
