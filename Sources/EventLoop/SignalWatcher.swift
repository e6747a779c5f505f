// SPDX-License-Identifier: MIT

import Glibc

/// Receives signals as events of the loop instead of interruptions.
package final class SignalWatcher: Sendable {
  private let loop: EventLoop
  private let descriptor: Int32

  private typealias MakeDescriptor =
    @convention(c) (Int32, UnsafePointer<sigset_t>, Int32) -> Int32

  /// Blocks the signals, which are queued for ``next()`` from now on.
  ///
  /// A signal that was ignored at program start, such as SIGHUP under `nohup`, stays ignored.
  package init(_ signals: [Int32], on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals where !Self.isIgnored(signal) { sigaddset(&set, signal) }
    sigprocmask(SIG_BLOCK, &set, nil)
    // signalfd(2) is in the C library but not in Swift's Glibc module.
    guard let symbol = dlsym(nil, "signalfd") else { throw SystemError("signalfd", code: ENOSYS) }
    descriptor = unsafeBitCast(symbol, to: MakeDescriptor.self)(-1, &set, 0)
    guard descriptor >= 0 else { throw SystemError("signalfd") }
    FileDescriptor.prepare(descriptor)
  }

  deinit {
    close(descriptor)
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    let handler = action.__sigaction_handler.sa_handler
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Waits for the next signal and returns its number; `nil` if the task is cancelled.
  package func next() async -> Int32? {
    // `signalfd_siginfo` has 128 bytes; its first member is the number.
    var information = [UInt32](repeating: 0, count: 32)
    while read(descriptor, &information, 128) != 128 {
      guard (try? await loop.wait(for: [.readable(descriptor)], until: nil)) != nil else {
        return nil
      }
    }
    return Int32(information[0])
  }
}
