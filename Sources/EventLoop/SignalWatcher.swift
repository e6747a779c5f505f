// SPDX-License-Identifier: MIT

import Glibc

/// Takes signals as events of the loop and not as interruptions of the program.
package final class SignalWatcher: Sendable {
  private let loop: EventLoop
  private let descriptor: Int32

  private typealias MakeDescriptor =
    @convention(c) (Int32, UnsafePointer<sigset_t>, Int32) -> Int32

  /// Blocks the usual deliveries of the signals; they wait to be asked for from now on.
  ///
  /// A signal that the program was started to ignore, as `nohup` does with SIGHUP, stays ignored.
  package init(_ signals: [Int32], on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals where !Self.isIgnored(signal) { sigaddset(&set, signal) }
    sigprocmask(SIG_BLOCK, &set, nil)
    // signalfd(2) is in the C library but not in Swift's view of it.
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

  /// Waits for the next signal and returns its number; `nil` when the waiting task is cancelled.
  package func next() async -> Int32? {
    // The first member of the 128 bytes of a `signalfd_siginfo` is the number.
    var information = [UInt32](repeating: 0, count: 32)
    while read(descriptor, &information, 128) != 128 {
      guard (try? await loop.wait(for: [.readable(descriptor)], until: nil)) != nil else {
        return nil
      }
    }
    return Int32(information[0])
  }
}
