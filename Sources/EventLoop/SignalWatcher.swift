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
    let make = unsafeBitCast(symbol, to: MakeDescriptor.self)
    // SFD_NONBLOCK and SFD_CLOEXEC have the values of these flags.
    descriptor = make(-1, &set, O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("signalfd") }
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

/// A set of signals, with operations on the calling thread's mask and pending signals.
package struct SignalSet: Sendable {
  private let signals: [Int32]

  package init(_ signals: [Int32]) {
    self.signals = signals
  }

  package var isPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0) == 1 }
  }

  /// Removes and returns a pending signal; `nil` if there is none.
  package func takePending() -> Int32? {
    var (set, immediately) = (set, timespec())
    let signal = sigtimedwait(&set, nil, &immediately)
    return signal > 0 ? signal : nil
  }

  /// Removes all pending signals; returns whether there were any.
  @discardableResult
  package func discardPending() -> Bool {
    guard takePending() != nil else { return false }
    while takePending() != nil {}
    return true
  }

  package var blocked: SignalSet {
    var mask = sigset_t()
    sigprocmask(SIG_BLOCK, nil, &mask)
    return SignalSet(signals.filter { sigismember(&mask, $0) == 1 })
  }

  package func subtracting(_ other: SignalSet) -> SignalSet {
    SignalSet(signals.filter { !other.signals.contains($0) })
  }

  package func block() {
    var set = set
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  package func unblock() {
    var set = set
    sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  package func whileUnblocked<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withMask(SIG_UNBLOCK, body)
  }

  package func whileBlocked<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withMask(SIG_BLOCK, body)
  }

  private func withMask<Result, Failure>(
    _ change: Int32,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var (set, previous) = (set, sigset_t())
    sigprocmask(change, &set, &previous)
    defer { sigprocmask(SIG_SETMASK, &previous, nil) }
    return try body()
  }

  private var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
